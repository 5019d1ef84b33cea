"""Reads of events and webhook endpoints of one organisation."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from exchange.core.database import fetch_all, fetch_one
from exchange.core.documents import Document
from exchange.core.ids import first_id_since
from exchange.core.querysets import document_texts, get_or_raise
from exchange.events.errors import CursorAhead, EndpointNotFound, EventNotFound
from exchange.events.event_types import TEST_EVENT_TYPE
from exchange.events.models import (
    ALL_EVENTS,
    UNDELIVERED,
    DeliveryAttempt,
    Event,
    EventDelivery,
    EventStatus,
    WebhookEndpoint,
)
from exchange.events.payloads import EVENT, EVENT_WITH_BODY, WEBHOOK, WEBHOOK_ENDPOINT


def events_of(organisation_id: UUID) -> QuerySet[Event]:
    """Return the events of an organisation."""
    return Event.objects.filter(organisation_id=organisation_id)


def attempts_of(event: Event) -> QuerySet[DeliveryAttempt]:
    """Return the delivery attempts of an event. Earlier partitions than its own have none."""
    return event.delivery_attempts.filter(id__gte=first_id_since(str(event.pk)))


def event_texts(events: QuerySet[Event], *, bodies: bool = False) -> QuerySet[Event, str]:
    """Return the wire documents of `events`, JSON texts, with their `bodies` or without."""
    return document_texts(events, EVENT_WITH_BODY if bodies else EVENT)


def event_document(organisation_id: UUID, event_id: UUID, document: Document = EVENT) -> str:
    """Return the wire document of an event, JSON text. Raises EventNotFound."""
    events = events_of(organisation_id).filter(id=event_id)
    return get_or_raise(document_texts(events, document), EventNotFound)


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """A place in the feed: an event, and the time of its numbering, which no restore repeats."""

    event_id: UUID
    numbered_at: str


@dataclass(frozen=True, slots=True)
class FeedPage:
    """Documents of events in the order of their numbers, and the position after them."""

    documents: list[str]
    end: FeedPosition | None


def read_feed(
    organisation_id: UUID,
    after: FeedPosition | None,
    *,
    limit: int,
    types: Collection[str] | None = None,
    bodies: bool = False,
) -> FeedPage:
    """Return the first `limit` numbered events of the organisation after a position.

    A page that is not full ends at the organisation's last number, so that events of other types
    are not read again. Reads the primary: a replica may not have the position yet. Raises
    CursorAhead.
    """
    first = 0 if after is None else _number_at(organisation_id, after)
    last = fetch_one(_LAST_NUMBER, [organisation_id])
    if last is None:
        return FeedPage([], after)
    wanted = None if types is None else [*types]
    values = [wanted, wanted, organisation_id, first, last[0], limit]
    rows = fetch_all(_FEED_WITH_BODIES if bodies else _FEED, values)
    _, event_id, numbered_at = rows[-1] if len(rows) == limit else last
    return FeedPage([row[0] for row in rows], FeedPosition(event_id, numbered_at))


def _number_at(organisation_id: UUID, position: FeedPosition) -> int:
    """Return the number at `position`; 0 where its month is no longer kept."""
    row = fetch_one(_NUMBER, [position.event_id, organisation_id])
    if row is None:
        row = fetch_one(_IS_REMOVED, [position.event_id])
        if row == (True,):
            return 0
    elif row[1] == position.numbered_at:
        return int(row[0])
    raise CursorAhead


# Events are read one by one in the order of numbers, until the page is full.
_READ = """
SELECT e.document, n.event_id, (n.numbered_at AT TIME ZONE 'UTC')::text
FROM exchange_eventnumber n
CROSS JOIN LATERAL (
    SELECT {} AS document FROM exchange_event e
    WHERE e.id = n.event_id AND (%s::text[] IS NULL OR e.type = ANY (%s::text[])) OFFSET 0
) e
WHERE n.organisation_id = %s AND n.seq > %s AND n.seq <= %s
ORDER BY n.seq LIMIT %s
"""
_FEED, _FEED_WITH_BODIES = (
    _READ.replace("{}", document.expression("e")) for document in (EVENT, EVENT_WITH_BODY)
)
_LAST_NUMBER = """
SELECT n.seq, n.event_id, (n.numbered_at AT TIME ZONE 'UTC')::text FROM exchange_eventnumber n
WHERE n.organisation_id = %s ORDER BY n.seq DESC LIMIT 1
"""
_NUMBER = """
SELECT n.seq, (n.numbered_at AT TIME ZONE 'UTC')::text FROM exchange_eventnumber n
WHERE n.event_id = %s AND n.organisation_id = %s
"""
_IS_REMOVED = "SELECT %s < events_complete_since()"


def endpoints_of(organisation_id: UUID) -> QuerySet[WebhookEndpoint]:
    """Return the endpoints of an organisation, the oldest first."""
    return WebhookEndpoint.objects.filter(organisation_id=organisation_id).order_by("id")


def _endpoint_rows(organisation_id: UUID, endpoint_id: UUID | None) -> QuerySet[WebhookEndpoint]:
    endpoints = endpoints_of(organisation_id)
    return endpoints if endpoint_id is None else endpoints.filter(id=endpoint_id)


def get_endpoint(
    organisation_id: UUID, endpoint_id: UUID | None = None, *, lock: bool = False
) -> WebhookEndpoint:
    """Return an endpoint of the organisation, by default its oldest. Raises EndpointNotFound."""
    rows = _endpoint_rows(organisation_id, endpoint_id)
    return get_or_raise(rows.select_for_update() if lock else rows, EndpointNotFound)


def endpoint_document(organisation_id: UUID) -> str:
    """Return the document of the organisation's oldest endpoint. Raises EndpointNotFound."""
    return get_or_raise(document_texts(endpoints_of(organisation_id), WEBHOOK), EndpointNotFound)


def endpoint_record(organisation_id: UUID, endpoint_id: UUID) -> str:
    """Return the wire document of one of several endpoints. Raises EndpointNotFound."""
    rows = _endpoint_rows(organisation_id, endpoint_id)
    return get_or_raise(document_texts(rows, WEBHOOK_ENDPOINT), EndpointNotFound)


def missing_events(endpoint: WebhookEndpoint, *, since: datetime | None = None) -> QuerySet[Event]:
    """Return events that the endpoint wants, has not received and is not about to receive.

    Undelivered ones; with `since`, all from then on. An event that was delivered before there were
    deliveries, and has none, counts as received.
    """
    deliveries = EventDelivery.objects.filter(event=OuterRef("pk"))
    own = deliveries.filter(endpoint=endpoint.pk)
    events = events_of(endpoint.organisation_id).exclude(type=TEST_EVENT_TYPE)
    if ALL_EVENTS not in endpoint.events:
        events = events.filter(type__in=endpoint.events)
    failed = Exists(own.filter(status__in=UNDELIVERED))
    if since is not None:
        events = events.filter(created_at__gte=since)
        return events.filter(
            failed | (Q(status__in=UNDELIVERED) | Exists(deliveries)) & ~Exists(own)
        )
    return events.filter(failed | Q(status=EventStatus.UNSENT) & ~Exists(deliveries))


# Only recent events count towards the health of an endpoint.
_MAX_RECENT_EVENTS = 500
MAX_COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """Recent deliveries to an endpoint; `undelivered` is counted up to `MAX_COUNTED`."""

    last_success: datetime | None
    last_failure: DeliveryAttempt | None
    undelivered: int


def get_endpoint_health(endpoint: WebhookEndpoint) -> EndpointHealth:
    """Return the health of an endpoint."""
    recent = list(
        events_of(endpoint.organisation_id)
        .order_by("-created_at", "-id")
        .values_list("id", flat=True)[:_MAX_RECENT_EVENTS]
    )
    failed = ~Q(status_code__range=(200, 299))  # also matches no status
    deliveries = EventDelivery.objects.filter(endpoint=endpoint.pk, event__in=recent)
    return EndpointHealth(
        last_success=deliveries.aggregate(at=Max("delivered_at"))["at"],
        last_failure=DeliveryAttempt.objects.filter(failed, endpoint=endpoint.pk, event__in=recent)
        .select_related("event")
        .order_by("-attempted_at", "-id")
        .first(),
        undelivered=missing_events(endpoint).order_by()[:MAX_COUNTED].count(),
    )
