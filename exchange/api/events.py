"""`/v1/api/events`: what happened to the organisation's records, and whether it was told."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON
from exchange.api.pagination import EnvelopePagination
from exchange.api.schema import Operation, PageOf, Record
from exchange.api.views import ApiView, path_id
from exchange.errors import EventNotFound
from exchange.filtersets import EventFilters
from exchange.models import Event
from exchange.payloads import EVENT, EVENT_DETAIL
from exchange.selectors.events import (
    event_detail_document,
    event_document,
    event_texts,
    events_of,
)
from exchange.services.events import redeliver


class EventsView(ApiView):
    """The organisation's events."""

    operations: ClassVar = {"GET": Operation("events", "list", "Events retrieved")}
    required_scopes: ClassVar = {"GET": "webhooks:manage"}
    filterset_class = EventFilters
    plural = "events"
    sort_fields: ClassVar = {
        "created_at": "created_at",
        "delivered_at": "delivered_at",
        "type": "type",
        "status": "status",
    }
    default_sort = "-created_at"
    answers: ClassVar = {"GET": PageOf(EVENT, "events")}

    def get_queryset(self) -> QuerySet[Event]:
        """The caller's events."""
        return events_of(self.caller.organisation_id)

    def get(self, request: Request) -> Answer:
        """List events. Filter by type, status, record and time."""
        found = self.filter_queryset(self.get_queryset())
        page = EnvelopePagination()
        page.paginate_queryset(event_texts(found), request, self)
        return page.answer(self, "Events retrieved")


class EventView(ApiView):
    """One event."""

    operations: ClassVar = {"GET": Operation("events", "retrieve", "Event retrieved")}
    required_scopes: ClassVar = {"GET": "webhooks:manage"}
    answers: ClassVar = {"GET": Record(EVENT_DETAIL)}

    def get(self, _request: Request, event_id: str) -> Answer:
        """Fetch an event. With its body and every attempt to deliver it."""
        found = path_id(event_id, EventNotFound())
        text = event_detail_document(self.caller.organisation_id, found)
        return Answer(RawJSON(text), "Event retrieved")


class EventRedeliveryView(ApiView):
    """Sending an event again."""

    operations: ClassVar = {"POST": Operation("events", "redeliver", "Event queued for delivery")}
    required_scopes: ClassVar = {"POST": "webhooks:manage"}
    answers: ClassVar = {"POST": Record(EVENT)}
    failures: ClassVar = {"409": {"no_endpoint": "There is no enabled webhook endpoint to send to"}}

    def post(self, _request: Request, event_id: str) -> Answer:
        """Send an event again. Now, whatever became of it; its attempts so far are kept."""
        caller = self.caller
        event = redeliver(
            event_id=path_id(event_id, EventNotFound()),
            organisation_id=caller.organisation_id,
            actor=caller.actor,
        )
        text = event_document(caller.organisation_id, event.id)
        return Answer(RawJSON(text), "Event queued for delivery")
