"""Events and the webhook endpoints on the page of an organisation, and events on a member's."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.panels import Panel
from exchange.events.admin.links import describe_events, shown_endpoints
from exchange.events.models import Event, WebhookEndpoint
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from exchange.participants.models import Organisation

VIEW_ENDPOINT = "exchange.view_webhookendpoint"
# Of each kind of a member's records, the events about so many are shown.
_SUBJECTS = 50


class EventsPanel(OwnerRecords):
    """The newest events of an organisation, or about the newest records of a member."""

    model = Event
    title = "Events"
    headings = ("Created (UTC)", "Type", "Delivery", "Attempts", "Delivered (UTC)")
    right = (3,)
    has_member = False
    timeline = TimelineColumns("Event", text="type", state="status")
    reports = True
    tab = "Activity"

    def __init__(self, *subjects: OwnerRecords) -> None:
        self._subjects = subjects

    def branches(self, owner: Owner) -> Sequence[Q]:
        if isinstance(owner, Organisation):
            return (Q(organisation=owner.pk),)
        ids = [
            subject.newest_ids(branch, _SUBJECTS)
            for subject in self._subjects
            for branch in subject.branches(owner)
        ]
        if not ids:
            return ()
        about = Q(subject_id__in=ids[0].union(*ids[1:], all=True))
        return (Q(organisation=owner.organisation_id) & about,)

    def cells(self, record: Event, owner: Owner) -> tuple[object, ...]:
        delivered = record.delivered_at
        return (
            format_time(record.created_at),
            record_link(record, record.type),
            status_badge(record.status),
            record.attempts,
            format_time(delivered) if delivered else "-",
        )

    def list_query(self, owner: Owner) -> dict[str, str]:
        organisation = owner.pk if isinstance(owner, Organisation) else owner.organisation_id
        return {"organisation": str(organisation)}

    def list_label(self, owner: Owner) -> str:
        if isinstance(owner, Organisation):
            return super().list_label(owner)
        return f"All events of {owner.organisation}"


class WebhookPanel(Panel):
    """The webhook endpoints of an organisation."""

    tab = "Access"

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return the endpoints, for those who may view them."""
        if not page.may(request, VIEW_ENDPOINT):
            return ()
        rows = [_cells(endpoint) for endpoint in shown_endpoints(record)]
        headings = ("Address", "Events", "Status", "Reason", "Failing since (UTC)", "Changed (UTC)")
        return (Section("Webhook endpoints", headings, rows, empty="None."),)


def _cells(endpoint: WebhookEndpoint) -> tuple[object, ...]:
    failing = endpoint.failing_since
    return (
        record_link(endpoint, endpoint.url),
        describe_events(endpoint),
        status_badge("Enabled" if endpoint.enabled else "Disabled"),
        endpoint.disabled_reason or "-",
        format_time(failing) if failing else "-",
        format_time(endpoint.updated_at),
    )
