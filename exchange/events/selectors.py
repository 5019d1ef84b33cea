"""Reads of events and webhook endpoints of one organisation."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Max, Q, QuerySet

from exchange.core.database import fetch_all, fetch_one
from exchange.core.ids import first_id_since
from exchange.core.querysets import document_texts, get_or_raise
from exchange.events.errors import CursorAhead, EndpointNotFound, EventNotFound
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
    organisation_id: UUID, after: FeedPosition | None, *, limit: int, event_type: str | None
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
    values = [event_type, event_type, organisation_id, first, last[0], limit]
    rows = fetch_all(_FEED, values)
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
_FEED = f"""
SELECT e.document, n.event_id, (n.numbered_at AT TIME ZONE 'UTC')::text
FROM exchange_eventnumber n
CROSS JOIN LATERAL (
    SELECT {EVENT.expression("e")} AS document FROM exchange_event e
    WHERE e.id = n.event_id AND (%s::text IS NULL OR e.type = %s) OFFSET 0
) e
WHERE n.organisation_id = %s AND n.seq > %s AND n.seq <= %s
ORDER BY n.seq LIMIT %s
"""  # noqa: S608 - built from a declaration
_LAST_NUMBER = """
SELECT n.seq, n.event_id, (n.numbered_at AT TIME ZONE 'UTC')::text FROM exchange_eventnumber n
WHERE n.organisation_id = %s ORDER BY n.seq DESC LIMIT 1
"""
_NUMBER = """
SELECT n.seq, (n.numbered_at AT TIME ZONE 'UTC')::text FROM exchange_eventnumber n
WHERE n.event_id = %s AND n.organisation_id = %s
"""
_IS_REMOVED = "SELECT %s < events_complete_since()"


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
