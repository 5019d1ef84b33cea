"""Reads of events and webhook endpoints of one organisation."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Max, Q, QuerySet

from exchange.core.ids import first_id_since
from exchange.core.querysets import document_texts, get_or_raise
from exchange.events.errors import EndpointNotFound, EventNotFound
from exchange.events.models import UNDELIVERED, DeliveryAttempt, Event, WebhookEndpoint
from exchange.events.payloads import EVENT, EVENT_DETAIL, WEBHOOK


def events_of(organisation_id: UUID) -> QuerySet[Event]:
    """Return the events of an organisation."""
    return Event.objects.filter(organisation_id=organisation_id)


def attempts_of(event: Event) -> QuerySet[DeliveryAttempt]:
    """Return the delivery attempts of an event. Earlier partitions than its own have none."""
    return event.delivery_attempts.filter(id__gte=first_id_since(str(event.pk)))


def event_texts(events: QuerySet[Event]) -> QuerySet[Event, str]:
    """Return the wire documents of `events`, JSON texts."""
    return document_texts(events, EVENT)


def event_document(organisation_id: UUID, event_id: UUID) -> str:
    """Return the wire document of an event, JSON text. Raises EventNotFound."""
    events = events_of(organisation_id).filter(id=event_id)
    return get_or_raise(document_texts(events, EVENT), EventNotFound)


def event_detail_document(organisation_id: UUID, event_id: UUID) -> str:
    """Return the wire document with attempts and body. Raises EventNotFound."""
    events = events_of(organisation_id).filter(id=event_id)
    return get_or_raise(document_texts(events, EVENT_DETAIL), EventNotFound)


def get_endpoint(organisation_id: UUID) -> WebhookEndpoint:
    """Return the organisation's endpoint. Raises EndpointNotFound."""
    return get_or_raise(_endpoints_of(organisation_id), EndpointNotFound)


def endpoint_document(organisation_id: UUID) -> str:
    """Return the wire document of the organisation's endpoint. Raises EndpointNotFound."""
    return get_or_raise(document_texts(_endpoints_of(organisation_id), WEBHOOK), EndpointNotFound)


def _endpoints_of(organisation_id: UUID) -> QuerySet[WebhookEndpoint]:
    return WebhookEndpoint.objects.filter(organisation_id=organisation_id)


# Only recent events count towards the health of an endpoint.
_MAX_RECENT_EVENTS = 500
MAX_COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """Recent deliveries to an endpoint; `undelivered` is counted up to `MAX_COUNTED`."""

    last_success: datetime | None
    last_failure: DeliveryAttempt | None
    undelivered: int


def get_endpoint_health(organisation_id: UUID) -> EndpointHealth:
    """Return the health of an organisation's endpoint."""
    events = events_of(organisation_id)
    recent = list(
        events.order_by("-created_at", "-id").values_list("id", flat=True)[:_MAX_RECENT_EVENTS]
    )
    failed = ~Q(status_code__range=(200, 299))  # also matches no status

    undelivered = events.filter(status__in=UNDELIVERED).order_by()[:MAX_COUNTED]
    return EndpointHealth(
        last_success=Event.objects.filter(id__in=recent).aggregate(at=Max("delivered_at"))["at"],
        last_failure=DeliveryAttempt.objects.filter(failed, event__in=recent)
        .select_related("event")
        .order_by("-attempted_at", "-id")
        .first(),
        undelivered=undelivered.count(),
    )
