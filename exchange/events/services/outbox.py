"""The outbox: write events and queue them for delivery again. `services.deliveries` delivers.

Services only: no request, no task. A transaction that emits may notify the delivery task with
`exchange.core.task_notifier.notify_after_commit(DELIVER_EVENTS)`; else a sweep finds the row.
"""

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import connection, transaction

from exchange.core.actors import Actor
from exchange.core.database import fetch_one
from exchange.core.errors import Conflict
from exchange.core.ids import uuid7
from exchange.core.querysets import get_or_raise
from exchange.core.task_notifier import DELIVER_EVENTS, notify_after_commit
from exchange.events.errors import EventNotFound
from exchange.events.models import Event, EventDelivery, EventStatus
from exchange.events.selectors import MAX_COUNTED, endpoints_of, get_endpoint, missing_events

MAX_REDELIVERIES = 1_000

logger = logging.getLogger(__name__)


def emit(*, organisation_id: UUID, event_type: str, subject_id: UUID, data: str) -> UUID:
    """Write an outbox row in the current transaction; return the event's id.

    `data` is JSON text, used unchanged as the body's `data`. `subject_id` is the id of the record
    the event is about. Services written in SQL call `emit_events` there.
    """
    [event_id] = emit_each({organisation_id: data}, event_type, subject_id=subject_id)
    return event_id


def emit_each(data: Mapping[UUID, str], event_type: str, *, subject_id: UUID) -> list[UUID]:
    """Write an outbox row as `emit` for each organisation of `data`; return the ids of the events.

    In the order of organisations.
    """
    organisations = sorted(data)
    ids, count = [uuid7() for _ in organisations], len(organisations)
    texts = [data[organisation_id] for organisation_id in organisations]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT emit_events(%s::uuid[], %s::uuid[], %s::text[], %s::uuid[], %s::text[])",
            [ids, organisations, [event_type] * count, [subject_id] * count, texts],
        )
    notify_after_commit(DELIVER_EVENTS)
    return ids


def event_data(fields: Mapping[str, Any], member_id: UUID | None, organisation_id: UUID) -> str:
    """Return `fields` and the `user`, a member of the organisation or None, as JSON text."""
    row = fetch_one("SELECT coalesce(member_json(%s, %s), 'null')", [member_id, organisation_id])
    user = "null" if row is None else row[0]
    return f'{msgspec.json.encode(fields).decode()[:-1]},"user":{user}}}'


def describe_actor(actor: Actor) -> dict[str, str]:
    """Return `actor` as organisations see it, without a login (`sql/public_actor.sql`)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT public_actor(%s, %s, %s)", [str(actor), actor.label, settings.EVENTS_NAME_STAFF]
        )
        description: dict[str, str] = json.loads(cursor.fetchone()[0])
    return description


@dataclass(frozen=True, slots=True)
class Redelivery:
    """The number of events queued again, and of those that are left, up to `MAX_COUNTED`."""

    queued: int
    remaining: int


def redeliver(
    *,
    event_id: UUID,
    actor: Actor,
    organisation_id: UUID | None = None,
    endpoint_id: UUID | None = None,
) -> Event:
    """Queue an event for delivery again, in any status; earlier attempts stay in its history.

    It goes to the endpoint `endpoint_id`; by default to the enabled ones that wanted it and have
    not received it, or to all of them if each has. `organisation_id` limits it to that
    organisation's events. The retry schedule restarts. A delivery being sent keeps its lease: the
    outcome counts as the first attempt of the new schedule. Raises EventNotFound, EndpointNotFound,
    and Conflict when there is no enabled endpoint.
    """
    with transaction.atomic():
        reachable = Event.objects.filter(id=event_id)
        if organisation_id is not None:
            reachable = reachable.filter(organisation_id=organisation_id)
        event = get_or_raise(reachable.select_for_update(), EventNotFound)
        enabled = _enabled_endpoints(event.organisation_id, endpoint_id)
        if endpoint_id is None:
            enabled = _missing_endpoints(event, enabled)
        _queue([event.id] * len(enabled), enabled)
        event.refresh_from_db()
        notify_after_commit(DELIVER_EVENTS)
    logger.info("event %s queued again by %s", event_id, actor)
    return event


def _enabled_endpoints(organisation_id: UUID, endpoint_id: UUID | None) -> list[UUID]:
    endpoints = endpoints_of(organisation_id)
    if endpoint_id is not None:
        endpoints = endpoints.filter(id=get_endpoint(organisation_id, endpoint_id).id)
    enabled = list(endpoints.filter(enabled=True).values_list("id", flat=True))
    if not enabled:
        raise Conflict(
            "No webhook endpoint is enabled. Enable one and try again", code="no_endpoint"
        )
    return enabled


def _missing_endpoints(event: Event, enabled: list[UUID]) -> list[UUID]:
    """Return those of the `enabled` endpoints that miss the event.

    All that wanted it when each has received it, and all when none wanted it.
    """
    received = dict(event.deliveries.values_list("endpoint_id", "status"))
    wanted = [each for each in enabled if each in received] or enabled
    return [each for each in wanted if received.get(each) != EventStatus.DELIVERED] or wanted


def redeliver_undelivered(
    *,
    organisation_id: UUID,
    actor: Actor,
    endpoint_id: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    types: Collection[str] = (),
) -> Redelivery:
    """Queue events that an endpoint, by default the oldest enabled one, has not received again.

    Takes the undelivered ones; with `since`, all that it has not received from then on, also those
    of a time when it was disabled. Those of `types`, by default of all types it wants, before
    `until`, the oldest first, up to `MAX_REDELIVERIES`. Raises EndpointNotFound, and Conflict when
    the endpoint is disabled.
    """
    with transaction.atomic():
        enabled = _enabled_endpoints(organisation_id, endpoint_id)
        endpoint = get_endpoint(organisation_id, enabled[0])
        missing = missing_events(endpoint, since=since)
        if until is not None:
            missing = missing.filter(created_at__lt=until)
        if types:
            missing = missing.filter(type__in=types)
        chosen = list(
            missing.select_for_update(skip_locked=True, of=("self",))
            .order_by("id")
            .values_list("id", flat=True)[:MAX_REDELIVERIES]
        )
        _queue(chosen, [endpoint.id] * len(chosen))
        remaining = missing.order_by()[:MAX_COUNTED].count()
        notify_after_commit(DELIVER_EVENTS)
    logger.info("%s events for endpoint %s queued again by %s", len(chosen), endpoint.id, actor)
    return Redelivery(len(chosen), remaining)


def _queue(event_ids: Sequence[UUID], endpoint_ids: Sequence[UUID]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT queue_deliveries(%s::uuid[], %s::uuid[])", [[*event_ids], [*endpoint_ids]]
        )


def mark_unsent(*, organisation_id: UUID, subject_ids: Collection[UUID] | None = None) -> int:
    """Mark pending deliveries of the organisation unsent, all or those about `subject_ids`.

    Returns their number. For demo data only, whose endpoints are not enabled while it is loaded.
    """
    pending = EventDelivery.objects.filter(
        event__organisation_id=organisation_id, status=EventStatus.PENDING
    )
    if subject_ids is not None:
        pending = pending.filter(event__subject_id__in=subject_ids)
    return pending.update(status=EventStatus.UNSENT, next_attempt_at=None, leased_until=None)
