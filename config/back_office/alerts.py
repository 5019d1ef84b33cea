"""Pages of alerts, each with a link to its subject."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from config.back_office.alert_links import annotate_subjects, subject_link
from exchange.admin.base import Tool
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.display import age, format_time, status_badge
from exchange.core.errors import Conflict
from exchange.staff.models import StaffUser
from wallets.alerts.models import Alert
from wallets.alerts.services import resolve_alert


def _kind_label(alert: Alert) -> str:
    return alert.kind.replace("_", " ").capitalize()


@admin.register(Alert)
class AlertAdmin(ConfirmationAdmin):
    record_pages = ("resolve",)
    list_display = ("message", "kind_display", "about", "occurrences", "raised", "state_display")
    list_filter = (("resolved_at", admin.EmptyFieldListFilter), "kind")
    search_fields = ("subject", "message")
    search_help_text = "Subject or part of the message"
    fields = (
        "kind_display",
        "about",
        "message",
        "occurrences",
        "raised_at",
        "state_display",
        "resolved_at",
    )

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        alerts: QuerySet[Any] = annotate_subjects(super().rows(user))
        return alerts

    kind_display = column("kind", _kind_label, ordering="kind")
    about = column("about", subject_link, ordering="subject")
    raised = column(
        "raised", lambda alert: format_html("{} ago", age(alert.raised_at)), ordering="raised_at"
    )
    state_display = column(
        "status", lambda alert: status_badge("Resolved" if alert.resolved_at else "Open")
    )

    def tools(self, request: HttpRequest, obj: Alert) -> list[Tool]:
        if obj.resolved_at or not self.may(request, "wallets.change_alert"):
            return []
        return [Tool("Resolve", self.address("resolve", obj.pk))]

    def resolve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Resolve an open alert."""
        alert: Alert = self.record(request, object_id, "wallets.change_alert")

        def act() -> None:
            # A newly raised alert of the same kind and subject is a different record.
            if alert.resolved_at or not resolve_alert(alert.kind, subject=alert.subject):
                raise Conflict("The alert is already resolved")

        return self.confirm_page(
            request, alert, _resolve_confirmation(alert), act, "Alert resolved."
        )


def _resolve_confirmation(alert: Alert) -> Confirmation:
    return Confirmation(
        title="Resolve alert?",
        facts=[
            ("Kind", _kind_label(alert)),
            ("About", alert.subject or "All records"),
            ("Message", alert.message),
            ("First raised", format_html("{} UTC", format_time(alert.raised_at))),
        ],
        live_facts=[
            ("Raised", "once" if alert.occurrences == 1 else f"{alert.occurrences:,} times")
        ],
        text="The alert is removed from the items that need attention. Resolving does not fix the"
        " cause: if it is detected again, a new alert is raised.",
        submit="Resolve",
        blocker="The alert is already resolved" if alert.resolved_at else "",
    )
