"""Claims of deliveries: which due ones a worker posts next.

A short transaction leases them (`FOR UPDATE SKIP LOCKED`, so workers never wait for each other).

Fairness: rows are claimed only when a thread is free, oldest first, and only a few per endpoint and
per organisation at a time, so that a slow endpoint delays only its own events.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from exchange.core import replica
from exchange.events.models import Event, EventDelivery, EventStatus, WebhookEndpoint
from exchange.events.pending import WAITING, pending_ids

# Concurrent posts in one run to an endpoint, and to the endpoints of an organisation.
PER_ENDPOINT = 4
PER_ORGANISATION = 8
# Allowance beyond the deadline of a post, for recording it on a busy worker.
_LEASE_MARGIN_SECONDS = 45


@dataclass(frozen=True, slots=True)
class Claim:
    """A delivery leased until `leased_until`: its event, its address and its signing secrets."""

    event_id: UUID
    endpoint_id: UUID
    organisation_id: UUID
    body: str
    url: str
    signing_secrets: Sequence[str]
    leased_until: datetime


# Takes the oldest due rows of each waiting endpoint, so that the backlog of one costs the others
# nothing. A deleted one has no organisation.
_CLAIM_DUE = f"""
WITH RECURSIVE {WAITING}, busy AS (
    SELECT w.endpoint_id, coalesce(p.organisation_id, w.endpoint_id) AS organisation_id, r.running
    FROM waiting w
    LEFT JOIN exchange_webhookendpoint p ON p.id = w.endpoint_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS running FROM exchange_eventdelivery d
        WHERE d.endpoint_id = w.endpoint_id AND d.status = 'Pending'
            AND d.event_id BETWEEN %(oldest)s AND %(newest)s
            AND d.next_attempt_at > statement_timestamp()
            AND d.next_attempt_at <= statement_timestamp() + %(lease)s
            AND d.leased_until > statement_timestamp()
    ) r
    WHERE w.endpoint_id IS NOT NULL
), due AS (
    SELECT b.organisation_id, one.event_id, b.endpoint_id, one.next_attempt_at
    FROM busy b
    CROSS JOIN LATERAL (
        SELECT d.event_id, d.next_attempt_at FROM exchange_eventdelivery d
        WHERE d.endpoint_id = b.endpoint_id AND d.status = 'Pending'
            AND d.event_id BETWEEN %(oldest)s AND %(newest)s
            AND d.next_attempt_at <= statement_timestamp()
        ORDER BY d.next_attempt_at
        LIMIT greatest(0, %(per_endpoint)s - b.running)
        FOR UPDATE SKIP LOCKED
    ) one
), ranked AS (
    SELECT event_id, endpoint_id, next_attempt_at,
           row_number() OVER (PARTITION BY organisation_id ORDER BY next_attempt_at) + (
               SELECT sum(b.running) FROM busy b WHERE b.organisation_id = due.organisation_id
           ) AS place
    FROM due
), chosen AS (
    SELECT event_id, endpoint_id FROM ranked WHERE place <= %(per_organisation)s
    ORDER BY next_attempt_at LIMIT %(most)s
)
UPDATE exchange_eventdelivery d
SET leased_until = statement_timestamp() + %(lease)s,
    -- A leased row is due when its lease expires: one condition finds both.
    next_attempt_at = statement_timestamp() + %(lease)s
FROM chosen c
WHERE d.event_id = c.event_id AND d.endpoint_id = c.endpoint_id
    AND d.event_id BETWEEN %(oldest)s AND %(newest)s
RETURNING d.event_id, d.endpoint_id, d.leased_until
"""  # noqa: S608 - constants


def claim_due(*, most: int, per_organisation: int = PER_ORGANISATION) -> list[Claim]:
    """Lease up to `most` due deliveries, a few running for an endpoint and an organisation.

    Deliveries to endpoints that are disabled or deleted become Unsent. They take no place of
    others: no claims mean that nothing is due. Workers that claim at the same time may together
    exceed the numbers.
    """
    rows, claims = _lease_due(most, per_organisation)
    while rows and not claims:
        rows, claims = _lease_due(most, per_organisation)
    for organisation_id in {claim.organisation_id for claim in claims}:
        # Who receives an event finds its change in lists.
        replica.record_write(organisation_id)
    return claims


def _lease_due(most: int, per_organisation: int) -> tuple[list[tuple[Any, ...]], list[Claim]]:
    """Lease due deliveries; return their rows, and the claims of those to enabled endpoints.

    All due deliveries to the other endpoints of these become Unsent.
    """
    parameters: dict[str, Any] = {
        "lease": timedelta(seconds=settings.WEBHOOK_TIMEOUT_SECONDS + _LEASE_MARGIN_SECONDS),
        "per_endpoint": PER_ENDPOINT,
        "per_organisation": per_organisation,
        "most": most,
        **pending_ids(),
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM_DUE, parameters)
            rows = cursor.fetchall()
        targets = {row[1] for row in rows}
        endpoints = WebhookEndpoint.objects.filter(enabled=True).in_bulk(targets)
        if undeliverable := targets - endpoints.keys():
            claimed = [(row[0], row[1]) for row in rows if row[1] in undeliverable]
            EventDelivery.objects.filter(pk__in=claimed).update(
                status=EventStatus.UNSENT, next_attempt_at=None, leased_until=None
            )
            mark_unsent(undeliverable, due=True)
        bodies = dict(
            Event.objects.filter(
                id__in={row[0] for row in rows if row[1] in endpoints}
            ).values_list("id", "body")
        )
    return rows, [
        Claim(
            event_id=event_id,
            endpoint_id=endpoint_id,
            organisation_id=endpoints[endpoint_id].organisation_id,
            body=bodies[event_id],
            url=endpoints[endpoint_id].url,
            signing_secrets=_signing_secrets(endpoints[endpoint_id]),
            leased_until=leased_until,
        )
        for event_id, endpoint_id, leased_until in rows
        if endpoint_id in endpoints
    ]


# Skips deliveries that are being sent or recorded. The event is locked too, which gets the status.
_MARK_UNSENT = """
WITH idle AS (
    SELECT d.event_id, d.endpoint_id
    FROM exchange_eventdelivery d JOIN exchange_event e ON e.id = d.event_id
    WHERE d.endpoint_id = ANY (%(endpoints)s) AND d.status = 'Pending'
        AND d.event_id BETWEEN %(oldest)s AND %(newest)s
        AND (d.leased_until IS NULL OR d.leased_until <= statement_timestamp())
        AND (d.next_attempt_at <= statement_timestamp() OR NOT %(due)s)
    FOR UPDATE OF d, e SKIP LOCKED
)
UPDATE exchange_eventdelivery d SET status = 'Unsent', next_attempt_at = NULL, leased_until = NULL
FROM idle i
WHERE d.event_id = i.event_id AND d.endpoint_id = i.endpoint_id
    AND d.event_id BETWEEN %(oldest)s AND %(newest)s
"""


def mark_unsent(endpoint_ids: Collection[UUID], *, due: bool = False) -> None:
    """Mark pending deliveries to endpoints Unsent, or only those that are due."""
    with connection.cursor() as cursor:
        cursor.execute(_MARK_UNSENT, {"endpoints": [*endpoint_ids], "due": due, **pending_ids()})


def adopt_events() -> None:
    """Take over events that the previous release has queued (`sql/deliveries.sql`)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT adopt_events()")


def _signing_secrets(endpoint: WebhookEndpoint) -> list[str]:
    until = endpoint.previous_secret_until
    if endpoint.previous_secret and until is not None and until > timezone.now():
        return [endpoint.secret, endpoint.previous_secret]
    return [endpoint.secret]
