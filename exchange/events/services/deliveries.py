"""Delivery of events: claim due rows, post each outside a transaction, record the outcome.

Each delivery takes three steps. A short transaction leases it (`services.claims`), a thread posts
it without a transaction, and a second transaction records the attempt and updates the delivery if
the lease is still held. When a worker dies in between, its lease expires and the event is sent to
the endpoint again under the same `webhook-id`: delivery is at least once, in no guaranteed order.
"""

import logging
import random
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import F, Max, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from exchange.core.metrics import WEBHOOK_POST_SECONDS, WEBHOOK_POSTS
from exchange.events.models import (
    DeliveryAttempt,
    Event,
    EventDelivery,
    EventStatus,
    WebhookEndpoint,
)
from exchange.events.selectors import attempts_of
from exchange.events.services.claims import Claim, adopt_events, claim_due, mark_unsent
from exchange.events.services.endpoints import announce_disabled
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

# Concurrent posts in one run.
CONCURRENCY = 16
# A run stops claiming after this time and ends when its posts have ended.
_RUN_SECONDS = 20.0
_POLL_SECONDS = 0.25
GONE = 410
_GONE_REASON = "The endpoint answered 410 Gone"
# An endpoint that failed as many times for as long, without a delivery in between, is disabled.
FAILED_ATTEMPTS = 5
FAILING_FOR = timedelta(days=5)
_FAILED_REASON = "No event was delivered for five days"


class DeliveryResult(StrEnum):
    """The effect of an attempt on its delivery."""

    DELIVERED = "delivered"
    RETRIED_LATER = "retried later"
    EXHAUSTED = "exhausted"
    UNSENT = "unsent"
    # The lease was lost: the attempt is recorded, the delivery is left to the new holder.
    STALE = "stale"


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
    """Record the attempt, and update the delivery if its lease is still held.

    Locks the event first, like `redeliver`, then the delivery, then the endpoint.
    """
    claim, outcome = sent.claim, sent.outcome
    event = Event.objects.select_for_update().only("id").get(id=claim.event_id)
    delivery = event.deliveries.select_for_update().get(endpoint_id=claim.endpoint_id)
    attempts = attempts_of(event).filter(Q(endpoint=claim.endpoint_id) | Q(endpoint=None))
    last = attempts.aggregate(last=Max("number"))["last"] or 0
    DeliveryAttempt.objects.create(
        event=event,
        endpoint_id=claim.endpoint_id,
        number=last + 1,
        url=claim.url,
        attempted_at=sent.attempted_at,
        milliseconds=outcome.milliseconds,
        status_code=outcome.status_code,
        error=outcome.error[:300],
        answer=outcome.answer,
    )
    if delivery.status != EventStatus.PENDING or delivery.leased_until != claim.leased_until:
        return DeliveryResult.STALE
    delivery.leased_until = delivery.next_attempt_at = None
    delivery.last_attempt_at = sent.attempted_at
    delivery.attempts += 1
    result = _apply_outcome(delivery, outcome)
    if _update_endpoint(sent):
        delivery.status, delivery.next_attempt_at = EventStatus.UNSENT, None
        result = DeliveryResult.UNSENT
    delivery.save(
        update_fields=[
            *("status", "attempts", "next_attempt_at", "leased_until"),
            *("last_attempt_at", "delivered_at"),
        ]
    )
    return result


def _apply_outcome(delivery: EventDelivery, outcome: PostOutcome) -> DeliveryResult:
    if outcome.delivered:
        delivery.status = EventStatus.DELIVERED
        delivery.delivered_at = timezone.now()
        return DeliveryResult.DELIVERED
    if delivery.attempts > len(RETRY_SECONDS):
        delivery.status = EventStatus.EXHAUSTED
        return DeliveryResult.EXHAUSTED
    delivery.next_attempt_at = timezone.now() + retry_delay(delivery.attempts, outcome)
    return DeliveryResult.RETRIED_LATER


def _update_endpoint(sent: SentPost) -> bool:
    """Count a failure of the endpoint, or end its failures; disable one that is gone or fails on.

    An address that changed since the post is not concerned. Pending deliveries of a disabled
    endpoint become Unsent. Returns whether it is disabled now.
    """
    endpoints = WebhookEndpoint.objects.filter(id=sent.claim.endpoint_id)
    posted = endpoints.filter(url=sent.claim.url, enabled=True)
    if sent.outcome.delivered:
        posted.filter(failed_attempts__gt=0).update(failing_since=None, failed_attempts=0)
        return False
    posted.update(
        failing_since=Coalesce("failing_since", Value(sent.attempted_at)),
        failed_attempts=F("failed_attempts") + 1,
    )
    if sent.outcome.status_code == GONE:
        reason = _GONE_REASON
    else:
        reason = _FAILED_REASON
        posted = posted.filter(
            failed_attempts__gte=FAILED_ATTEMPTS,
            failing_since__lte=timezone.now() - FAILING_FOR,
        )
    if posted.update(enabled=False, disabled_reason=reason, updated_at=timezone.now()):
        announce_disabled(sent.claim.endpoint_id)
    elif sent.outcome.status_code != GONE or endpoints.filter(enabled=True).exists():
        return False
    mark_unsent([sent.claim.endpoint_id])
    return True


def retry_delay(failed_attempts: int, outcome: PostOutcome) -> timedelta:
    """Return the jittered delay after the nth failed attempt (from 1), or `Retry-After` if longer.

    A receiver's `Retry-After` counts up to 24 hours.
    """
    scheduled = RETRY_SECONDS[failed_attempts - 1] * random.uniform(1, 1 + _MAX_JITTER)  # noqa: S311 - spreads load, guards nothing
    requested = min(outcome.retry_after_seconds or 0, MAX_RETRY_AFTER_SECONDS)
    return timedelta(seconds=max(scheduled, requested))


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
    run_seconds: float = _RUN_SECONDS,
) -> RunSummary:
    """Deliver until nothing is due or `run_seconds` have passed, and record every post.

    Any number of runs may be active, in any number of processes.
    """
    posted = 0
    adopt_events()
    ends = time.monotonic() + run_seconds
    running: set[Future[SentPost]] = set()
    with ThreadPoolExecutor(concurrency, thread_name_prefix="deliver") as threads:
        while True:
            in_time = time.monotonic() < ends
            free = concurrency - len(running)
            if in_time and free:
                _number_events()
                running |= {threads.submit(send_event, claim) for claim in claim_due(most=free)}
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
