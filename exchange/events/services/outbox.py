"""The outbox: write events and queue them for delivery again. `services.deliveries` delivers.

Services only: no request, no task. A transaction that emits may notify the delivery task with
`exchange.core.task_notifier.notify_after_commit(DELIVER_EVENTS)`; else a sweep finds the row.
"""

import json
import logging
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Now

from exchange.core import leases
from exchange.core.actors import Actor
from exchange.core.database import fetch_one
from exchange.core.errors import Conflict
from exchange.core.ids import uuid7
from exchange.core.querysets import get_or_raise
from exchange.core.task_notifier import DELIVER_EVENTS, notify_after_commit
from exchange.events.errors import EventNotFound
from exchange.events.models import UNDELIVERED, Event, EventStatus, WebhookEndpoint

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


def redeliver(*, event_id: UUID, actor: Actor, organisation_id: UUID | None = None) -> Event:
    """Queue an event for delivery again, in any status; earlier attempts stay in its history.

    `organisation_id` limits it to that organisation's events. The retry schedule restarts. An event
    being sent keeps its lease: the outcome counts as the first attempt of the new schedule. Raises
    EventNotFound, and Conflict when there is no enabled endpoint.
    """
    with transaction.atomic():
        reachable = Event.objects.filter(id=event_id)
        if organisation_id is not None:
            reachable = reachable.filter(organisation_id=organisation_id)
        event = get_or_raise(reachable.select_for_update(), EventNotFound)
        _require_endpoint(event.organisation_id)
        held = leases.leased(Now())
        Event.objects.filter(id=event_id).update(
            status=EventStatus.PENDING,
            attempts=0,
            delivered_at=None,
            next_attempt_at=Case(When(held, then=F("leased_until")), default=Now()),
            leased_until=Case(When(held, then=F("leased_until")), default=Value(None)),
        )
        event.refresh_from_db()
        notify_after_commit(DELIVER_EVENTS)
    logger.info("event %s queued again by %s", event_id, actor)
    return event


def redeliver_undelivered(
    *, organisation_id: UUID, actor: Actor, since: datetime | None = None
) -> int:
    """Queue the undelivered events of an organisation again; return their number.

    Takes those created from `since` on, the oldest first, up to `MAX_REDELIVERIES`. Raises Conflict
    when there is no enabled endpoint.
    """
    with transaction.atomic():
        _require_endpoint(organisation_id)
        chosen = (
            Event.objects.select_for_update(skip_locked=True)
            .filter(organisation_id=organisation_id, status__in=UNDELIVERED)
            .filter(Q(created_at__gte=since) if since else Q())
            .order_by("id")
            .values_list("id", flat=True)[:MAX_REDELIVERIES]
        )
        count = Event.objects.filter(id__in=list(chosen)).update(
            status=EventStatus.PENDING,
            attempts=0,
            delivered_at=None,
            next_attempt_at=Now(),
            leased_until=None,
        )
        notify_after_commit(DELIVER_EVENTS)
    logger.info("%s events of organisation %s queued again by %s", count, organisation_id, actor)
    return count


def _require_endpoint(organisation_id: UUID) -> None:
    if not WebhookEndpoint.objects.filter(organisation_id=organisation_id, enabled=True).exists():
        raise Conflict(
            "No webhook endpoint is enabled. Enable one and try again", code="no_endpoint"
        )


def mark_unsent(*, organisation_id: UUID, subject_ids: Collection[UUID] | None = None) -> int:
    """Mark pending events of the organisation unsent, all or those about `subject_ids`.

    Returns their number. For demo data only, whose endpoints are not enabled while it is loaded.
    """
    pending = Event.objects.filter(organisation_id=organisation_id, status=EventStatus.PENDING)
    if subject_ids is not None:
        pending = pending.filter(subject_id__in=subject_ids)
    return pending.update(status=EventStatus.UNSENT, next_attempt_at=None, leased_until=None)
