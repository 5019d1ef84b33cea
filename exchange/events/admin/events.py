"""Webhook events, their delivery attempts, and webhook endpoints. Secrets are never shown."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, time
from functools import cache, partial
from uuid import UUID

from django import forms
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.admin.base import SafeAdmin, Section, Tool, actor_of
from exchange.admin.columns import column, link_column, time_column
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.display import age, format_time, record_link, status_badge
from exchange.admin.fields import DatePickerField
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    day_range,
    id_filter,
)
from exchange.events.admin.confirmations import (
    confirm_endpoint_status,
    confirm_redelivery,
    count_undelivered,
)
from exchange.events.admin.links import describe_events
from exchange.events.admin.owner_panels import VIEW_ENDPOINT
from exchange.events.models import UNDELIVERED, Event, EventStatus, WebhookEndpoint
from exchange.events.selectors import EndpointHealth, attempts_of, get_endpoint_health
from exchange.events.services.endpoints import send_test, switch_endpoint
from exchange.events.services.outbox import Redelivery, redeliver, redeliver_undelivered
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.models import ApiKey

_MAX_ATTEMPTS = 50
_NOTES: Mapping[str, str] = {
    EventStatus.UNSENT: "No enabled webhook endpoint wanted the event. It can be resent.",
    EventStatus.EXHAUSTED: "All attempts of the retry schedule failed. It can be resent.",
}
_CHANGE_PERMISSION = "exchange.change_webhookendpoint"
# Models of subjects that do not begin as their event types do.
_OTHER_NAMES = {"transfer": "wallettransfer"}


class ResendForm(forms.Form):
    """From when undelivered events are resent."""

    since = DatePickerField(
        label="Created from",
        required=False,
        help_text="Day in UTC; includes events of a time when the endpoint was disabled. "
        "Empty: all undelivered events",
    )

    def clean_since(self) -> datetime | None:
        """Return the start of the day."""
        day = self.cleaned_data["since"]
        return datetime.combine(day, time(), UTC) if day else None


class EventListFilters(ListFilters):
    status__exact = ChoiceFilter("status", EventStatus.choices, title="status")
    delivery = OptionFilter(
        "delivery",
        ("undelivered", "Undelivered", lambda rows: rows.filter(status__in=UNDELIVERED)),
    )
    type = ChoiceFilter("type", [(name, name) for name in settings.EVENT_TYPES], title="type")
    organisation_name = OrganisationNameFilter()
    day_from, day_to = day_range()
    organisation = id_filter("organisation")


@admin.register(Event)
class EventAdmin(SafeAdmin):
    record_posts = ("redeliver",)
    reads_replica = True
    list_display = ("time_display", "type", "organisation", "state_display", "attempts", "about")
    list_display_links = ("time_display", "type")
    filters = EventListFilters
    list_select_related = ("organisation",)
    search_fields = ("organisation__name", "=organisation__email")
    id_fields = ("pk", "subject_id", "organisation_id")
    search_help_text = "Organisation, its email, or the ID of an event, its subject or organisation"
    # Ids follow time and are indexed.
    ordering = ("-id",)
    fields = (
        "type", "organisation", "about", "state_display", "delivery_note", "attempts",
        "time_display", "delivered_at", "id", "body_display",
    )  # fmt: skip

    def heading(self, obj: Event) -> str:
        return f"{obj.type} to {obj.organisation}"

    time_display = time_column("created (UTC)", "created_at", ordering="created_at")

    @admin.display(description="about")
    def about(self, event: Event) -> str:
        model = _models_by_name().get(_name_of_subject(event))
        # Not every reader of events may open keys.
        if model is None or model is ApiKey or not self.admin_site.is_registered(model):
            return str(event.subject_id)
        return record_link(model(pk=event.subject_id), str(event.subject_id))

    def default_order(self, query: Mapping[str, str]) -> tuple[str, ...]:
        # The index of an organisation's events is by time.
        return ("-created_at", "-id") if query.get("organisation") else ("-id",)

    state_display = column("delivery", lambda event: status_badge(event.status), ordering="status")
    delivery_note = column("note", lambda event: _NOTES.get(event.status, "-"))

    @admin.display(description="body")
    def body_display(self, event: Event) -> str:
        text = json.dumps(json.loads(event.body, parse_float=str), indent=2, ensure_ascii=False)
        return format_html("<pre>{}</pre>", text)

    def tools(self, request: HttpRequest, obj: Event) -> list[Tool]:
        if not self.may(request, "exchange.change_event"):
            return []
        return [Tool("Resend", self.address("redeliver", obj.pk), post=True)]

    def sections(self, request: HttpRequest, obj: Event) -> list[Section]:
        attempts = attempts_of(obj).order_by("-attempted_at", "-id")[:_MAX_ATTEMPTS]
        rows = [
            (
                format_time(attempt.attempted_at),
                attempt.number,
                attempt.url,
                attempt.status_code or attempt.error or "No response",
                f"{attempt.milliseconds:,} ms",
                attempt.answer,
            )
            for attempt in attempts
        ]
        headings = ("Time (UTC)", "Attempt", "Address", "Result", "Duration", "Response")
        return [
            self._deliveries(obj, linked=self.may(request, VIEW_ENDPOINT)),
            Section("Attempts", headings, rows, right=(1, 4), empty="No attempts yet."),
        ]

    def _deliveries(self, event: Event, *, linked: bool) -> Section:
        """Return the deliveries of the event, the oldest endpoint first, with links or without."""
        deliveries = list(event.deliveries.order_by("endpoint_id"))
        endpoints = WebhookEndpoint.objects.in_bulk([each.endpoint_id for each in deliveries])
        rows = [
            (
                _name(endpoints.get(delivery.endpoint_id), linked=linked),
                status_badge(delivery.status),
                delivery.attempts,
                *(
                    format_time(moment) if moment else "-"
                    for moment in (delivery.last_attempt_at, delivery.next_attempt_at)
                ),
            )
            for delivery in deliveries
        ]
        headings = ("Endpoint", "Status", "Attempts", "Last attempt (UTC)", "Next attempt (UTC)")
        return Section("Deliveries", headings, rows, right=(2,), empty="No endpoint wanted it.")

    def redeliver(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Deliver the event again."""
        event: Event = self.record(request, object_id, "exchange.change_event")
        self.attempt(
            request,
            lambda: redeliver(event_id=event.pk, actor=actor_of(request)),
            "Event queued for delivery.",
        )
        return self.redirect_to_record(event.pk)


def _name(endpoint: WebhookEndpoint | None, *, linked: bool) -> str:
    if endpoint is None:
        return "Deleted"
    return record_link(endpoint, endpoint.url) if linked else endpoint.url


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(ConfirmationAdmin):
    record_pages = ("send_again", "enable", "disable")
    record_posts = ("test",)
    list_display = (
        "organisation", "endpoint_url", "events_display", "state_display", "disabled_reason",
        "failing_since", "updated_at",
    )  # fmt: skip
    list_filter = ("enabled",)
    list_select_related = ("organisation",)
    linked_lookups = ("organisation",)
    search_fields = ("url", "organisation__name", "=organisation__email")
    id_fields = ("pk", "organisation_id")
    search_help_text = "Address, organisation or its email, or the ID of either"
    fields = (
        "organisation_display", "endpoint_url", "description", "events_display", "state_display",
        "disabled_reason", "failing_since", "failed_attempts", "previous_secret_until",
        "created_at", "updated_at",
    )  # fmt: skip

    def heading(self, obj: WebhookEndpoint) -> str:
        return f"Webhook of {obj.organisation}"

    endpoint_url = column("address", lambda endpoint: endpoint.url, ordering="url")
    organisation_display = link_column("organisation", "organisation")
    events_display = column("events", describe_events)

    state_display = column(
        "status",
        lambda endpoint: status_badge("Enabled" if endpoint.enabled else "Disabled"),
        ordering="enabled",
    )

    def tools(self, request: HttpRequest, obj: WebhookEndpoint) -> list[Tool]:
        events = reverse("admin:exchange_event_changelist")
        tools = [Tool("Events", f"{events}?organisation={obj.organisation_id}")]
        if not self.may(request, _CHANGE_PERMISSION):
            return tools
        if not obj.enabled:
            return [*tools, Tool("Enable", self.address("enable", obj.pk))]
        return [
            *tools,
            Tool("Send a test event", self.address("test", obj.pk), post=True),
            Tool("Resend undelivered", self.address("send_again", obj.pk)),
            Tool("Disable", self.address("disable", obj.pk)),
        ]

    def sections(self, request: HttpRequest, obj: WebhookEndpoint) -> list[Section]:
        health = get_endpoint_health(obj)
        failure = health.last_failure
        rows: list[tuple[object, object]] = [
            (
                "Last delivered",
                _ago(health.last_success) if health.last_success else "not recently",
            ),
            (
                "Last failure",
                format_html(
                    "{}: {} ({})",
                    _ago(failure.attempted_at),
                    failure.status_code or failure.error or "No response",
                    record_link(failure.event, failure.event.type),
                )
                if failure
                else "None recently",
            ),
            ("Undelivered webhooks", self._undelivered_link(obj, health)),
        ]
        return [Section("Deliveries", ("", ""), rows)]

    def _undelivered_link(self, obj: WebhookEndpoint, health: EndpointHealth) -> str:
        if not health.undelivered:
            return "0"
        return format_html(
            '<a href="{}?organisation={}&delivery=undelivered">{}</a>',
            reverse("admin:exchange_event_changelist"),
            obj.organisation_id,
            count_undelivered(health),
        )

    def test(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Send a test event."""
        obj: WebhookEndpoint = self.record(request, object_id, _CHANGE_PERMISSION)
        self.attempt(
            request,
            lambda: send_test(
                organisation_id=obj.organisation_id, endpoint_id=obj.pk, actor=actor_of(request)
            ),
            "Test event queued for delivery.",
        )
        return self.redirect_to_record(obj.pk)

    def send_again(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm, then resend undelivered events, up to `MAX_REDELIVERIES`."""
        obj: WebhookEndpoint = self.record(request, object_id, _CHANGE_PERMISSION)

        def describe_result(result: Redelivery) -> str:
            if not result.queued:
                return "There was nothing to resend."
            text = (
                f"{result.queued:,} event{'' if result.queued == 1 else 's'} queued for delivery."
            )
            if result.remaining:
                return f"{text} More are left: repeat once these are delivered."
            return text

        return self.confirm_page(
            request,
            obj,
            confirm_redelivery(obj, get_endpoint_health(obj)),
            partial(
                redeliver_undelivered,
                organisation_id=obj.organisation_id,
                endpoint_id=obj.pk,
                actor=actor_of(request),
            ),
            describe_result,
            form=bind_form(request, ResendForm),
        )

    def enable(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm, then enable the endpoint."""
        return self._switch(request, object_id, enabled=True)

    def disable(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm, then disable the endpoint."""
        return self._switch(request, object_id, enabled=False)

    def _switch(self, request: HttpRequest, object_id: UUID, *, enabled: bool) -> HttpResponse:
        obj: WebhookEndpoint = self.record(request, object_id, _CHANGE_PERMISSION)
        return self.confirm_page(
            request,
            obj,
            confirm_endpoint_status(obj, get_endpoint_health(obj), enabled=enabled),
            partial(
                switch_endpoint,
                organisation_id=obj.organisation_id,
                endpoint_id=obj.pk,
                enabled=enabled,
                actor=actor_of(request),
            ),
            "Webhook endpoint enabled: new events are delivered."
            if enabled
            else "Webhook endpoint disabled: events are stored but not delivered.",
        )


@cache
def _models_by_name() -> dict[str | None, type[Model]]:
    """Return models by name, the first part of the event types about them."""

    return {model._meta.model_name: model for model in apps.get_models()}


def _name_of_subject(event: Event) -> str:
    """Return the name of the model of what an event is about."""
    name = event.type.partition(".")[0].replace("_", "")
    if name == "question":
        return str(json.loads(event.body)["data"]["question"]["record_type"])
    return _OTHER_NAMES.get(name, name)


def _ago(when: datetime) -> SafeString:
    return format_html("{} ago", age(when))
