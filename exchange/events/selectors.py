"""Reading events and webhook endpoints. Every read is for one organisation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Max, Q, QuerySet, TextField
from django.db.models.expressions import RawSQL

from exchange.core.documents import Document
from exchange.events.errors import EndpointNotFound, EventNotFound
from exchange.events.models import DeliveryAttempt, Event, EventStatus, WebhookEndpoint
from exchange.events.payloads import EVENT, EVENT_DETAIL, WEBHOOK


def _document(document: Document) -> RawSQL:
    """The document of each row as an annotation."""
    return RawSQL(document.expression(document.table), (), output_field=TextField())  # noqa: S611 - built from a declaration


def events_of(organisation_id: UUID) -> QuerySet[Event]:
    """The events of an organisation."""
    return Event.objects.filter(organisation_id=organisation_id)


def event_texts(events: QuerySet[Event]) -> QuerySet[Event, str]:
    """The wire documents of `events`, JSON texts."""
    return events.annotate(text=_document(EVENT)).values_list("text", flat=True)


def event_document(organisation_id: UUID, event_id: UUID) -> str:
    """The wire document of an event, JSON text. Raises EventNotFound."""
    text = event_texts(events_of(organisation_id).filter(id=event_id)).first()
    if text is None:
        raise EventNotFound
    return text


def event_detail_document(organisation_id: UUID, event_id: UUID) -> str:
    """The same with its attempts and its body. Raises EventNotFound."""
    found = events_of(organisation_id).filter(id=event_id).annotate(text=_document(EVENT_DETAIL))
    text: str | None = found.values_list("text", flat=True).first()
    if text is None:
        raise EventNotFound
    return text


def endpoint_document(organisation_id: UUID) -> str:
    """The wire document of the organisation's endpoint. Raises EndpointNotFound."""
    found = WebhookEndpoint.objects.filter(organisation_id=organisation_id)
    text: str | None = (
        found.annotate(text=_document(WEBHOOK)).values_list("text", flat=True).first()
    )
    if text is None:
        raise EndpointNotFound
    return text


# How far back the standing of an endpoint is looked for.
_RECENT_EVENTS = 500
COUNTED_EXHAUSTED = 1_000


@dataclass(frozen=True, slots=True)
class Standing:
    """How telling an organisation went lately; `exhausted` stops at `COUNTED_EXHAUSTED`."""

    last_success: datetime | None
    last_failure: DeliveryAttempt | None
    exhausted: int


def endpoint_standing(organisation_id: UUID) -> Standing:
    """How the last events of an organisation fared, and how many nobody took."""
    events = events_of(organisation_id)
    recent = list(
        events.order_by("-created_at", "-id").values_list("id", flat=True)[:_RECENT_EVENTS]
    )
    failed = ~Q(status_code__range=(200, 299))  # no status among them
    exhausted = events.filter(status=EventStatus.EXHAUSTED).order_by()[:COUNTED_EXHAUSTED]
    return Standing(
        last_success=Event.objects.filter(id__in=recent).aggregate(at=Max("delivered_at"))["at"],
        last_failure=DeliveryAttempt.objects.filter(failed, event__in=recent)
        .select_related("event")
        .order_by("-attempted_at", "-id")
        .first(),
        exhausted=exhausted.count(),
    )
