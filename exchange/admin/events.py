"""Events, the attempts to deliver them, and webhook endpoints in the admin. Secrets never show."""

from __future__ import annotations

import json
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section, Tool, actor_of
from exchange.admin.show import moment, state
from exchange.models import Event, WebhookEndpoint
from exchange.services.events import redeliver

_ATTEMPTS_SHOWN = 50


@admin.register(Event)
class EventAdmin(SafeAdmin):
    list_display = ("type", "organisation", "shown_state", "attempts", "created_at", "subject_id")
    list_filter = ("status", "type", "organisation", "created_at")
    list_select_related = ("organisation",)
    search_fields = ("=id", "=subject_id")
    date_hierarchy = "created_at"
    fields = (
        "id", "type", "organisation", "subject_id", "shown_state", "attempts", "created_at",
        "delivered_at", "next_attempt_at", "shown_body",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="delivery", ordering="status")
    def shown_state(self, event: Event) -> str:
        return state(event.status)

    @admin.display(description="body")
    def shown_body(self, event: Event) -> str:
        text = json.dumps(json.loads(event.body, parse_float=str), indent=2, ensure_ascii=False)
        return format_html("<pre>{}</pre>", text)

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<uuid:object_id>/redeliver/", "redeliver", self.send_again),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Event) -> list[Tool]:
        if not self.may(request, "exchange.change_event"):
            return []
        return [Tool("Send again", self.address("redeliver", obj.pk), post=True)]

    def sections(self, request: HttpRequest, obj: Event) -> list[Section]:
        attempts = obj.delivery_attempts.order_by("-attempted_at", "-id")[:_ATTEMPTS_SHOWN]
        rows = [
            (
                moment(attempt.attempted_at),
                attempt.number,
                attempt.url,
                attempt.status_code or attempt.error or "no answer",
                f"{attempt.milliseconds:,} ms",
                attempt.answer,
            )
            for attempt in attempts
        ]
        headings = ("When (UTC)", "Try", "Address", "Result", "Took", "Answer")
        return [Section("Attempts", headings, rows, right=(1, 4), empty="Not tried yet.")]

    def send_again(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Delivers the event once more."""
        if not self.may(request, "exchange.change_event"):
            raise PermissionDenied
        event: Event = self.record(request, object_id)
        self.attempt(
            request,
            lambda: redeliver(event_id=event.pk, actor=actor_of(request)),
            "The event is being sent again.",
        )
        return self.back_to(event.pk)


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(SafeAdmin):
    list_display = ("organisation", "url", "enabled", "disabled_reason", "updated_at")
    list_filter = ("enabled",)
    list_select_related = ("organisation",)
    search_fields = ("url", "organisation__name")
    fields = (
        "organisation", "url", "enabled", "disabled_reason", "previous_secret_until",
        "created_at", "updated_at",
    )  # fmt: skip
    readonly_fields = fields
