"""`/v1/api/events`: what happened to the organisation's records, and whether it was told."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.answers import Answer, RawJSON
from exchange.api.operations import PageOf, operation
from exchange.api.viewsets import ApiViewSet, path_id
from exchange.core.errors import EventNotFound
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


class EventViewSet(ApiViewSet):
    """The organisation's events."""

    lookup_url_kwarg = "event_id"
    filterset_class = EventFilters
    sort_fields: ClassVar = {
        "created_at": "created_at",
        "delivered_at": "delivered_at",
        "type": "type",
        "status": "status",
    }
    default_sort = "-created_at"

    def get_queryset(self) -> QuerySet[Event]:
        """The caller's events."""
        return events_of(self.caller.organisation_id)

    @operation("Events retrieved", scope="webhooks:manage", answer=PageOf(EVENT, "events"))
    def list(self, _request: Request) -> Response:
        """List events. Filter by type, status, record and time."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated(event_texts(found))

    @operation("Event retrieved", scope="webhooks:manage", answer=EVENT_DETAIL)
    def retrieve(self, _request: Request, event_id: str) -> Answer:
        """Fetch an event. With its body and every attempt to deliver it."""
        found = path_id(event_id, EventNotFound())
        return self.answer(RawJSON(event_detail_document(self.caller.organisation_id, found)))

    @operation(
        "Event queued for delivery",
        scope="webhooks:manage",
        answer=EVENT,
        refusals={"409": {"no_endpoint": "There is no enabled webhook endpoint to send to"}},
    )
    @action(detail=True, methods=["post"])
    def redeliver(self, _request: Request, event_id: str) -> Answer:
        """Send an event again. Now, whatever became of it; its attempts so far are kept."""
        caller = self.caller
        event = redeliver(
            event_id=path_id(event_id, EventNotFound()),
            organisation_id=caller.organisation_id,
            actor=caller.actor,
        )
        return self.answer(RawJSON(event_document(caller.organisation_id, event.id)))
