"""Delivery of events: claim due rows, post each outside a transaction, record the outcome.

Each event takes three steps. A short transaction leases it (`FOR UPDATE SKIP LOCKED`, so workers
never wait for each other), a thread posts it without a transaction, and a second transaction
records the attempt and updates the event if the lease is still held. When a worker dies in between,
its lease expires and the event is sent again under the same `webhook-id`: delivery is at least
once, in no guaranteed order.

Fairness: rows are claimed only when a thread is free, oldest first, and only a few per organisation
at a time, so that a slow endpoint delays only its own events.
"""

import logging
import random
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Max, Q
from django.utils import timezone

from exchange.core import leases, replica
from exchange.core.metrics import WEBHOOK_POST_SECONDS, WEBHOOK_POSTS
from exchange.events.models import DeliveryAttempt, Event, EventStatus, WebhookEndpoint
from exchange.events.pending import pending_ids
from exchange.events.selectors import attempts_of
from exchange.events.services.numbering import number_events
from exchange.events.webhooks.posting import PostOutcome, post
from exchange.events.webhooks.signing import signed_headers

logger = logging.getLogger(__name__)

# Delays after the first, second, … failed attempt; after the last one the event is Exhausted.
# `events.pending` counts on their end within ten days.
RETRY_SECONDS = (
    5,
    5 * 60,
    30 * 60,
    2 * 3600,
    5 * 3600,
    10 * 3600,
    14 * 3600,
    20 * 3600,
    24 * 3600,
)
# Jitter lengthens a delay by up to this fraction.
_MAX_JITTER = 0.1
MAX_RETRY_AFTER_SECONDS = 24 * 3600

# Concurrent posts in one run, and per organisation.
CONCURRENCY = 16
PER_ORGANISATION = 4
# A run stops claiming after this time and ends when its posts have ended.
_RUN_SECONDS = 20.0
_POLL_SECONDS = 0.25
# Allowance beyond the deadline of a post, for recording it on a busy worker.
_LEASE_MARGIN_SECONDS = 45

GONE = 410
_GONE_REASON = "The endpoint answered 410 Gone"


@dataclass(frozen=True, slots=True)
class Claim:
    """An event leased until `leased_until`, with its address and signing secrets."""

    event_id: UUID
    organisation_id: UUID
    body: str
    url: str
    signing_secrets: Sequence[str]
    leased_until: datetime


class DeliveryResult(StrEnum):
    """The effect of an attempt on its event."""

    DELIVERED = "delivered"
    RETRIED_LATER = "retried later"
    EXHAUSTED = "exhausted"
    UNSENT = "unsent"
    # The lease was lost: the attempt is recorded, the event is left to the new holder.
    STALE = "stale"


# Walks the organisations with pending events through the index, so that the backlog of one costs
# the others nothing, then takes the oldest due rows of each.
_CLAIM_DUE = """
WITH RECURSIVE waiting AS (
    (SELECT organisation_id FROM exchange_event
     WHERE status = 'Pending' AND id BETWEEN %(oldest)s AND %(newest)s
     ORDER BY organisation_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.organisation_id FROM exchange_event e
            WHERE e.status = 'Pending' AND e.organisation_id > w.organisation_id
                AND e.id BETWEEN %(oldest)s AND %(newest)s
            ORDER BY e.organisation_id LIMIT 1)
    FROM waiting w WHERE w.organisation_id IS NOT NULL
), due AS (
    SELECT one.id, one.next_attempt_at FROM waiting w
    CROSS JOIN LATERAL (
        SELECT count(*) AS running FROM exchange_event e
        WHERE e.organisation_id = w.organisation_id AND e.status = 'Pending'
            AND e.id BETWEEN %(oldest)s AND %(newest)s
            AND e.next_attempt_at > statement_timestamp()
            AND e.next_attempt_at <= statement_timestamp() + %(lease)s
            AND e.leased_until > statement_timestamp()
    ) busy
    CROSS JOIN LATERAL (
        SELECT e.id, e.next_attempt_at FROM exchange_event e
        WHERE e.organisation_id = w.organisation_id AND e.status = 'Pending'
            AND e.id BETWEEN %(oldest)s AND %(newest)s
            AND e.next_attempt_at <= statement_timestamp()
        ORDER BY e.next_attempt_at
        LIMIT greatest(0, %(per_organisation)s - busy.running)
        FOR UPDATE SKIP LOCKED
    ) one
), chosen AS (
    SELECT id FROM due ORDER BY next_attempt_at LIMIT %(most)s
)
UPDATE exchange_event e
SET leased_until = statement_timestamp() + %(lease)s,
    -- A leased row is due when its lease expires: one condition finds both.
    next_attempt_at = statement_timestamp() + %(lease)s
FROM chosen WHERE e.id = chosen.id AND e.id BETWEEN %(oldest)s AND %(newest)s
RETURNING e.id, e.organisation_id, e.body, e.leased_until
"""


def claim_due(*, most: int, per_organisation: int = PER_ORGANISATION) -> list[Claim]:
    """Lease up to `most` due events, at most `per_organisation` running for an organisation.

    Events of organisations without an enabled endpoint become Unsent. They take no place of others:
    no claims mean that nothing is due. Workers that claim at the same time may together exceed
    `per_organisation`.
    """
    rows, endpoints = _lease_due(most, per_organisation)
    while rows and not endpoints:
        rows, endpoints = _lease_due(most, per_organisation)
    for organisation_id in endpoints:
        # Who receives an event finds its change in lists.
        replica.record_write(organisation_id)
    return [
        Claim(
            event_id=event_id,
            organisation_id=organisation_id,
            body=body,
            url=endpoints[organisation_id].url,
            signing_secrets=_signing_secrets(endpoints[organisation_id]),
            leased_until=leased_until,
        )
        for event_id, organisation_id, body, leased_until in rows
        if organisation_id in endpoints
    ]


def _lease_due(
    most: int, per_organisation: int
) -> tuple[list[tuple[Any, ...]], dict[UUID, WebhookEndpoint]]:
    """Lease due events; return their rows, and the enabled endpoints of their organisations.

    All due events of those without one become Unsent.
    """
    lease = timedelta(seconds=settings.WEBHOOK_TIMEOUT_SECONDS + _LEASE_MARGIN_SECONDS)
    bounds = pending_ids()
    parameters: dict[str, Any] = {
        "lease": lease,
        "per_organisation": per_organisation,
        "most": most,
        **bounds,
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM_DUE, parameters)
            rows = cursor.fetchall()
        organisations = {row[1] for row in rows}
        endpoints = {
            endpoint.organisation_id: endpoint
            for endpoint in WebhookEndpoint.objects.filter(
                organisation_id__in=organisations, enabled=True
            )
        }
        undeliverable = organisations - endpoints.keys()
        if undeliverable:
            now = timezone.now()
            Event.objects.filter(id__in=[row[0] for row in rows if row[1] in undeliverable]).update(
                **_UNSCHEDULED, status=EventStatus.UNSENT
            )
            _mark_unsent(
                Q(
                    organisation_id__in=undeliverable,
                    next_attempt_at__lte=now,
                    id__range=(bounds["oldest"], bounds["newest"]),
                )
            )
    return rows, endpoints


_UNSCHEDULED: dict[str, None] = {"next_attempt_at": None, "leased_until": None}


def _mark_unsent(which: Q) -> None:
    """Mark pending events Unsent, except those being sent or recorded."""
    idle = Event.objects.select_for_update(skip_locked=True).filter(
        which,
        leases.available(timezone.now()),
        status=EventStatus.PENDING,
    )
    Event.objects.filter(id__in=list(idle.values_list("id", flat=True))).update(
        **_UNSCHEDULED, status=EventStatus.UNSENT
    )


def _signing_secrets(endpoint: WebhookEndpoint) -> list[str]:
    until = endpoint.previous_secret_until
    if endpoint.previous_secret and until is not None and until > timezone.now():
        return [endpoint.secret, endpoint.previous_secret]
    return [endpoint.secret]


@dataclass(frozen=True, slots=True)
class SentPost:
    """A post made at `attempted_at`, and its outcome."""

    claim: Claim
    attempted_at: datetime
    outcome: PostOutcome


def send_event(claim: Claim) -> SentPost:
    """Sign and post the stored body. Uses no database; never raises for the receiver's errors."""
    attempted_at = timezone.now()
    outcome = post(
        claim.url,
        claim.body.encode(),
        signed_headers(
            event_id=claim.event_id,
            body=claim.body,
            signing_secrets=claim.signing_secrets,
            at=attempted_at,
        ),
        deadline_seconds=settings.WEBHOOK_TIMEOUT_SECONDS,
        allow_local=settings.WEBHOOK_ALLOW_LOCAL,
    )
    WEBHOOK_POSTS.labels(outcome.kind).inc()
    WEBHOOK_POST_SECONDS.observe(outcome.milliseconds / 1000)
    return SentPost(claim, attempted_at, outcome)


@transaction.atomic
def record_attempt(sent: SentPost) -> DeliveryResult:
    """Record the attempt, and update the event if its lease is still held."""
    claim, outcome = sent.claim, sent.outcome
    event = Event.objects.select_for_update().get(id=claim.event_id)
    last = attempts_of(event).aggregate(last=Max("number"))["last"] or 0
    DeliveryAttempt.objects.create(
        event=event,
        number=last + 1,
        url=claim.url,
        attempted_at=sent.attempted_at,
        milliseconds=outcome.milliseconds,
        status_code=outcome.status_code,
        error=outcome.error[:300],
        answer=outcome.answer,
    )
    if event.status != EventStatus.PENDING or event.leased_until != claim.leased_until:
        return DeliveryResult.STALE
    event.leased_until = None
    event.next_attempt_at = None
    event.attempts += 1
    result = _apply_outcome(event, claim, outcome)
    event.save(
        update_fields=["status", "attempts", "next_attempt_at", "leased_until", "delivered_at"]
    )
    return result


def _apply_outcome(event: Event, claim: Claim, outcome: PostOutcome) -> DeliveryResult:
    if outcome.delivered:
        event.status = EventStatus.DELIVERED
        event.delivered_at = timezone.now()
        return DeliveryResult.DELIVERED
    if outcome.status_code == GONE and _disable_gone_endpoint(claim):
        event.status = EventStatus.UNSENT
        return DeliveryResult.UNSENT
    if event.attempts > len(RETRY_SECONDS):
        event.status = EventStatus.EXHAUSTED
        return DeliveryResult.EXHAUSTED
    event.next_attempt_at = timezone.now() + retry_delay(event.attempts, outcome)
    return DeliveryResult.RETRIED_LATER


def retry_delay(failed_attempts: int, outcome: PostOutcome) -> timedelta:
    """Return the jittered delay after the nth failed attempt (from 1), or `Retry-After` if longer.

    A receiver's `Retry-After` counts up to 24 hours.
    """
    scheduled = RETRY_SECONDS[failed_attempts - 1] * random.uniform(1, 1 + _MAX_JITTER)  # noqa: S311 - spreads load, guards nothing
    requested = min(outcome.retry_after_seconds or 0, MAX_RETRY_AFTER_SECONDS)
    return timedelta(seconds=max(scheduled, requested))


def _disable_gone_endpoint(claim: Claim) -> bool:
    """Disable an endpoint that returned 410, unless it has changed since the post.

    Returns whether the organisation has no enabled endpoint now.
    """
    changed = WebhookEndpoint.objects.filter(
        organisation_id=claim.organisation_id, url=claim.url, enabled=True
    ).update(enabled=False, disabled_reason=_GONE_REASON, updated_at=timezone.now())
    if changed:
        logger.warning("webhook of organisation %s disabled: 410 Gone", claim.organisation_id)
        _mark_unsent(Q(organisation_id=claim.organisation_id))
        return True
    return not WebhookEndpoint.objects.filter(
        organisation_id=claim.organisation_id, enabled=True
    ).exists()


def _number_events() -> None:
    """Number events before they are claimed, so that the feed has what a webhook reports."""
    try:
        number_events()
    except DatabaseError:
        # Webhooks do not wait for the feed, whose readers number too.
        logger.exception("events could not be numbered")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The number of posts of a run, and whether due events were left."""

    posted: int
    more: bool


def deliver_due(
    *,
    concurrency: int = CONCURRENCY,
    per_organisation: int = PER_ORGANISATION,
    run_seconds: float = _RUN_SECONDS,
) -> RunSummary:
    """Deliver until nothing is due or `run_seconds` have passed, and record every post.

    Any number of runs may be active, in any number of processes.
    """
    posted = 0
    ends = time.monotonic() + run_seconds
    running: set[Future[SentPost]] = set()
    with ThreadPoolExecutor(concurrency, thread_name_prefix="deliver") as threads:
        while True:
            in_time = time.monotonic() < ends
            free = concurrency - len(running)
            if in_time and free:
                _number_events()
                claims = claim_due(most=free, per_organisation=per_organisation)
                running |= {threads.submit(send_event, claim) for claim in claims}
            if not running:
                return RunSummary(posted, more=not in_time)
            done, running = wait(running, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
            for finished in done:
                try:
                    record_attempt(finished.result())
                except Exception:
                    # The lease expires and the event is sent again; other events are unaffected.
                    logger.exception("delivery attempt could not be recorded")

                posted += 1
