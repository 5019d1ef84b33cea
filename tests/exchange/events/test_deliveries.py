"""Claiming of due events, the effect of an attempt, and the limits of a run."""

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from exchange.events.models import Event, EventDelivery, WebhookEndpoint
from exchange.events.services import deliveries
from exchange.events.services.claims import Claim, claim_due
from exchange.events.services.deliveries import (
    DeliveryResult,
    RunSummary,
    SentPost,
    deliver_due,
    record_attempt,
    retry_delay,
)
from exchange.events.webhooks.posting import PostOutcome
from exchange.participants.models import Organisation
from tests.environment.database import session
from tests.environment.webhook_receiver import Received, Receiver, Reply
from tests.factories.events import (
    attempt_history,
    delivery_of,
    emit_event,
    event_state,
    exhaust_attempts,
    make_organisation_with_endpoint,
)

pytestmark = pytest.mark.django_db

HOUR = 3600
URL = "http://127.0.0.1:9/hook"
# After the first failed attempt, the second, and so on.
WAITS = (5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR)
FAILED = PostOutcome(status_code=500, milliseconds=1)
GONE = PostOutcome(status_code=410, milliseconds=1)
OLD, NEW = "whsec_b2xk", "whsec_bmV3"


def retry_after(seconds: int) -> PostOutcome:
    return PostOutcome(status_code=503, milliseconds=1, retry_after_seconds=seconds)


def update_event(event: Event, **values: Any) -> None:
    event.deliveries.update(**values)


def statuses(events: list[Event]) -> list[str]:
    return [event_state(event)[0] for event in events]


def disable_endpoint(owner: Organisation) -> Organisation:
    WebhookEndpoint.objects.filter(organisation=owner).update(
        enabled=False, disabled_reason="Switched off by the exchange"
    )
    return owner


def record_outcome(claim: Claim, outcome: PostOutcome) -> DeliveryResult:
    return record_attempt(SentPost(claim, timezone.now(), outcome))


# --- Retry delays -------------------------------------------------------------------------------


@pytest.mark.parametrize(("drawn", "longer"), [(min, 1.0), (max, 1.1)])
def test_each_delay_is_the_scheduled_one_or_up_to_a_tenth_longer(monkeypatch, drawn, longer):
    monkeypatch.setattr(random, "uniform", drawn)
    found = [retry_delay(tries, FAILED) for tries in range(1, len(WAITS) + 1)]
    assert found == [timedelta(seconds=wait * longer) for wait in WAITS]


def test_retry_after_lengthens_a_delay_up_to_a_day(monkeypatch):
    monkeypatch.setattr(random, "uniform", min)
    for seconds, waited in ((6, 6), (4, 5), (24 * HOUR, 24 * HOUR), (24 * HOUR + 1, 24 * HOUR)):
        assert retry_delay(1, retry_after(seconds)) == timedelta(seconds=waited)
    assert retry_delay(9, retry_after(23 * HOUR)) == timedelta(hours=24)


# --- Claiming -----------------------------------------------------------------------------------


def test_a_claim_is_leased_for_the_deadline_of_a_post_and_45_seconds(settings):
    settings.WEBHOOK_TIMEOUT_SECONDS = 7
    event = emit_event(make_organisation_with_endpoint(URL))
    before = timezone.now()
    (claim,) = claim_due(most=1)
    lease = timedelta(seconds=52)
    assert before + lease <= claim.leased_until <= timezone.now() + lease
    delivery = delivery_of(event)
    assert delivery.leased_until == delivery.next_attempt_at == claim.leased_until
    assert (claim.event_id, claim.organisation_id) == (event.id, event.organisation_id)
    assert (claim.body, claim.url) == (event.body, URL)


def test_four_events_of_an_organisation_are_claimed_at_a_time():
    owner, other = (
        make_organisation_with_endpoint(URL),
        make_organisation_with_endpoint(URL, "Other"),
    )
    events = [emit_event(owner) for _ in range(6)]
    for place, event in enumerate(events):
        update_event(event, next_attempt_at=timezone.now() - timedelta(seconds=60 - place))
    late = emit_event(other)
    claims = claim_due(most=16)
    assert sorted(claim.event_id for claim in claims if claim.organisation_id == owner.id) == [
        event.id for event in events[:4]
    ]
    assert [c.event_id for c in claims if c.organisation_id == other.id] == [late.id]


def test_due_events_without_an_enabled_endpoint_become_unsent():
    owner, silent = (
        make_organisation_with_endpoint(URL),
        make_organisation_with_endpoint(URL, "Silent"),
    )
    claimed = [emit_event(owner) for _ in range(6)]
    for place, event in enumerate(claimed):
        update_event(event, next_attempt_at=timezone.now() - timedelta(seconds=60 - place))
    done = emit_event(owner)
    update_event(done, status="Delivered", next_attempt_at=None)
    unsent = [emit_event(silent) for _ in range(6)]
    later, exhausted = emit_event(silent), exhaust_attempts(emit_event(silent))
    update_event(later, next_attempt_at=timezone.now() + timedelta(hours=1))
    disable_endpoint(silent)
    claims = claim_due(most=16)
    assert {claim.event_id for claim in claims} == {event.id for event in claimed[:4]}
    assert statuses(claimed) == ["Pending"] * 6
    assert statuses(unsent) == ["Unsent"] * 6
    assert {(each.next_attempt_at, each.leased_until) for each in map(delivery_of, unsent)} == {
        (None, None)
    }
    assert statuses([done, later, exhausted]) == ["Delivered", "Pending", "Exhausted"]


@pytest.mark.parametrize(
    ("previous", "until", "signs"),
    [
        ("", None, [NEW]),
        (OLD, timedelta(seconds=60), [NEW, OLD]),
        (OLD, timedelta(seconds=-1), [NEW]),
        (OLD, None, [NEW]),
    ],
)
def test_the_previous_secret_signs_until_its_expiry(previous, until, signs):
    owner = make_organisation_with_endpoint(URL)
    emit_event(owner)
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    endpoint.secret, endpoint.previous_secret = NEW, previous
    endpoint.previous_secret_until = None if until is None else timezone.now() + until
    endpoint.save()
    (claim,) = claim_due(most=1)
    assert claim.signing_secrets == signs


@pytest.mark.django_db(transaction=True)
def test_a_locked_event_is_skipped():
    silent = make_organisation_with_endpoint(URL)
    events = [emit_event(silent) for _ in range(6)]
    disable_endpoint(silent)
    with session("runtime") as other, connection.cursor() as cursor:
        other.execute(
            "SELECT FROM exchange_eventdelivery WHERE event_id = %s FOR UPDATE", [events[5].id]
        )
        cursor.execute("SET lock_timeout = '100ms'")
        assert claim_due(most=16) == []
        assert statuses(events) == ["Unsent"] * 5 + ["Pending"]


# --- Outcomes of an attempt ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "outcome", "after", "result"),
    [
        (0, PostOutcome(200, 5, "taken"), ("Delivered", 1), DeliveryResult.DELIVERED),
        (9, PostOutcome(200, 5), ("Delivered", 10), DeliveryResult.DELIVERED),
        (0, FAILED, ("Pending", 1), DeliveryResult.RETRIED_LATER),
        (8, FAILED, ("Pending", 9), DeliveryResult.RETRIED_LATER),
        (9, FAILED, ("Exhausted", 10), DeliveryResult.EXHAUSTED),
        (0, PostOutcome(409, 5), ("Pending", 1), DeliveryResult.RETRIED_LATER),
        (0, PostOutcome(411, 5), ("Pending", 1), DeliveryResult.RETRIED_LATER),
        (0, GONE, ("Unsent", 1), DeliveryResult.UNSENT),
        (9, GONE, ("Unsent", 10), DeliveryResult.UNSENT),
    ],
)
def test_an_attempt_updates_its_event(monkeypatch, before, outcome, after, result):
    monkeypatch.setattr(random, "uniform", min)
    event, other = (
        emit_event(make_organisation_with_endpoint(URL)),
        emit_event(make_organisation_with_endpoint(URL, "Other")),
    )
    update_event(event, attempts=before)
    (claim,) = [each for each in claim_due(most=2) if each.event_id == event.id]
    begins = timezone.now()
    assert record_outcome(claim, outcome) == result
    assert event_state(event) == after
    assert delivery_of(event).leased_until is None
    assert (event.delivered_at is not None) == (result == DeliveryResult.DELIVERED)
    if result == DeliveryResult.RETRIED_LATER:
        wait = timedelta(seconds=WAITS[before])
        due = delivery_of(event).next_attempt_at
        assert due is not None
        assert begins + wait <= due <= timezone.now() + wait
    else:
        assert delivery_of(event).next_attempt_at is None
    assert event_state(other) == ("Pending", 0)


def test_each_attempt_is_numbered_and_stored_with_a_truncated_error():
    event = emit_event(make_organisation_with_endpoint(URL))
    (claim,) = claim_due(most=1)
    failed = PostOutcome(None, 7, error="a" * 300 + "b")
    results = [record_outcome(claim, failed), record_outcome(claim, PostOutcome(200, 8, "late"))]
    assert results == [DeliveryResult.RETRIED_LATER, DeliveryResult.STALE]
    stored = event.delivery_attempts.order_by("number").values_list(
        "number", "url", "milliseconds", "status_code", "error", "answer"
    )
    assert list(stored) == [(1, URL, 7, None, "a" * 300, ""), (2, URL, 8, 200, "", "late")]
    assert event_state(event) == ("Pending", 1)


def test_410_makes_pending_events_unsent_except_those_being_sent():
    now, hour = timezone.now(), timedelta(hours=1)
    owner, other = (
        make_organisation_with_endpoint(URL),
        make_organisation_with_endpoint(URL, "Other"),
    )
    first = emit_event(owner)
    (claim,) = claim_due(most=1)
    waits, abandoned, sending, done = [emit_event(owner) for _ in range(4)]
    update_event(waits, next_attempt_at=now + hour)
    update_event(abandoned, leased_until=now - hour)
    update_event(sending, leased_until=now + hour, next_attempt_at=now + hour)
    update_event(done, status="Delivered", next_attempt_at=None)
    spared = emit_event(other)
    assert record_outcome(claim, GONE) == DeliveryResult.UNSENT
    assert event_state(first) == ("Unsent", 1)
    assert statuses([waits, abandoned, sending, done]) == [
        "Unsent", "Unsent", "Pending", "Delivered",
    ]  # fmt: skip
    left = delivery_of(abandoned)
    assert (left.next_attempt_at, left.leased_until) == (None, None)
    assert event_state(spared) == ("Pending", 0)
    found = WebhookEndpoint.objects.values_list("organisation", "enabled", "disabled_reason")
    assert set(found) == {
        (owner.pk, False, "The endpoint answered 410 Gone"),
        (other.pk, True, ""),
    }


def test_410_after_an_expired_lease_counts_unless_another_worker_holds_one():
    event, past = (
        emit_event(make_organisation_with_endpoint(URL)),
        timezone.now() - timedelta(seconds=1),
    )
    (claim,) = claim_due(most=1)
    update_event(event, leased_until=past, next_attempt_at=past)
    assert record_outcome(replace(claim, leased_until=past), GONE) == DeliveryResult.UNSENT
    assert event_state(event) == ("Unsent", 1)
    delivery = delivery_of(event)
    assert (delivery.leased_until, delivery.next_attempt_at) == (None, None)


def test_410_of_a_disabled_endpoint_keeps_its_reason():
    owner, _ = make_organisation_with_endpoint(URL), make_organisation_with_endpoint(URL, "Other")
    event = emit_event(owner)
    (claim,) = claim_due(most=1)
    disable_endpoint(owner)
    assert record_outcome(claim, GONE) == DeliveryResult.UNSENT
    assert event_state(event) == ("Unsent", 1)
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    assert (endpoint.enabled, endpoint.disabled_reason) == (False, "Switched off by the exchange")


def test_410_of_a_previous_address_is_an_ordinary_failure():
    owner = make_organisation_with_endpoint(URL)
    event = emit_event(owner)
    (claim,) = claim_due(most=1)
    WebhookEndpoint.objects.update(url=f"{URL}/new")
    assert record_outcome(claim, GONE) == DeliveryResult.RETRIED_LATER
    assert event_state(event) == ("Pending", 1)
    assert WebhookEndpoint.objects.get(organisation=owner).enabled


# --- A run --------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """The clock of a run, set by the test."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(deliveries, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


class Script:
    """Responds to the n-th request after calling the n-th function."""

    def __init__(self, *steps: Any) -> None:
        self._steps: Iterator[Any] = iter(steps)

    def __call__(self, _: Received) -> Reply:
        step = next(self._steps, None)
        if step is not None:
            step()
        return Reply()


def test_a_run_delivers_all_due_events(receiver: Receiver):
    owners = [make_organisation_with_endpoint(receiver.url, f"Firm {n}") for n in range(3)]
    events = [emit_event(owner) for owner in owners for _ in range(2)]
    assert deliver_due() == RunSummary(6, more=False)
    assert statuses(events) == ["Delivered"] * 6
    assert deliver_due() == RunSummary(0, more=False)
    assert len(receiver.received) == 6


def test_older_events_without_an_endpoint_do_not_end_a_run(receiver: Receiver):
    silent = []
    for n in range(3):
        owner = make_organisation_with_endpoint(URL, f"Silent {n}")
        silent.append(emit_event(owner))
        disable_endpoint(owner)
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    assert deliver_due(concurrency=1) == RunSummary(1, more=False)
    assert statuses([*silent, event]) == ["Unsent"] * 3 + ["Delivered"]


def test_a_run_claims_for_twenty_seconds_and_records_its_posts(receiver, clock):
    events = [
        emit_event(make_organisation_with_endpoint(receiver.url, f"Firm {n}")) for n in range(4)
    ]

    def at(seconds: float) -> Any:
        return lambda: setattr(clock, "now", 1000.0 + seconds)

    receiver.reply = Script(at(19.5), at(20))
    assert deliver_due(concurrency=1) == RunSummary(2, more=True)
    assert sorted(statuses(events)) == ["Delivered", "Delivered", "Pending", "Pending"]
    assert not EventDelivery.objects.filter(leased_until__isnull=False).exists()


def test_a_run_claims_no_more_events_than_it_has_free_threads(receiver, clock):
    """The first post lasts until the third arrives in the second one's thread."""
    events = [
        emit_event(make_organisation_with_endpoint(receiver.url, f"Firm {n}")) for n in range(6)
    ]
    third = threading.Event()

    def end() -> None:
        clock.now += 20
        third.set()

    receiver.reply = Script(lambda: third.wait(10), None, end)
    assert deliver_due(concurrency=2) == RunSummary(3, more=True)
    assert sorted(statuses(events)) == ["Delivered"] * 3 + ["Pending"] * 3


def test_a_run_makes_sixteen_concurrent_posts(receiver, clock):
    for n in range(18):
        emit_event(make_organisation_with_endpoint(receiver.url, f"Firm {n}"))
    receiver.reply = Script(lambda: setattr(clock, "now", 1020.0))
    assert deliver_due() == RunSummary(16, more=True)
    assert len(receiver.received) == 16


def test_events_that_become_due_are_sent_during_a_slow_post(receiver: Receiver):
    owner, other = (
        make_organisation_with_endpoint(receiver.url),
        make_organisation_with_endpoint(receiver.url, "Other"),
    )
    emit_event(owner)
    soon = emit_event(other)
    update_event(soon, next_attempt_at=timezone.now() + timedelta(milliseconds=200))
    arrived, came = threading.Event(), []
    receiver.reply = Script(lambda: came.append(arrived.wait(1.2)), arrived.set)
    with CaptureQueriesContext(connection) as made:
        assert deliver_due() == RunSummary(2, more=False)
    assert came == [True]
    # The run polls every quarter of a second.
    claims = [each for each in made if "RETURNING d.event_id" in each["sql"]]
    assert len(claims) < 12


def test_an_attempt_that_fails_internally_does_not_block_others(receiver: Receiver):
    broken, whole = (
        make_organisation_with_endpoint(receiver.url),
        make_organisation_with_endpoint(receiver.url, "Other"),
    )
    endpoint = WebhookEndpoint.objects.get(organisation=broken)
    endpoint.secret = "whsec_a"  # not base64
    endpoint.save()
    events = [emit_event(broken), emit_event(whole)]
    assert deliver_due() == RunSummary(2, more=False)
    assert statuses(events) == ["Pending", "Delivered"]
    assert delivery_of(events[0]).leased_until is not None
    assert attempt_history(events[0]) == []
    assert len(receiver.received) == 1
