"""What is claimed, what an attempt makes of its event, and how long a run goes on."""

from __future__ import annotations

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

from exchange.events.models import Event, WebhookEndpoint
from exchange.events.services import deliveries
from exchange.events.services.deliveries import (
    Claim,
    DeliveryResult,
    RunSummary,
    SentPost,
    claim_due,
    deliver_due,
    record_attempt,
    retry_delay,
)
from exchange.events.webhooks.posting import PostOutcome
from exchange.participants.models import Organisation
from tests.environment.database import session
from tests.environment.webhook_receiver import Received, Receiver, Reply
from tests.factories.events import happened, history, nobody_took, organisation, state

pytestmark = pytest.mark.django_db

HOUR = 3600
URL = "http://127.0.0.1:9/hook"
# After the first failed try, the second, and so on.
WAITS = (5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR)
FAILED = PostOutcome(status_code=500, milliseconds=1)
GONE = PostOutcome(status_code=410, milliseconds=1)
OLD, NEW = "whsec_b2xk", "whsec_bmV3"


def asked(seconds: int) -> PostOutcome:
    return PostOutcome(status_code=503, milliseconds=1, retry_after_seconds=seconds)


def set_by_hand(event: Event, **values: Any) -> None:
    Event.objects.filter(id=event.id).update(**values)


def statuses(events: list[Event]) -> list[str]:
    return [state(event)[0] for event in events]


def switched_off(owner: Organisation) -> Organisation:
    WebhookEndpoint.objects.filter(organisation=owner).update(
        enabled=False, disabled_reason="Switched off by the exchange"
    )
    return owner


def answered(claim: Claim, outcome: PostOutcome) -> DeliveryResult:
    return record_attempt(SentPost(claim, timezone.now(), outcome))


# --- How long a failed delivery waits -----------------------------------------------------------


@pytest.mark.parametrize(("drawn", "longer"), [(min, 1.0), (max, 1.1)])
def test_each_wait_is_the_planned_one_or_up_to_a_tenth_longer(monkeypatch, drawn, longer):
    monkeypatch.setattr(random, "uniform", drawn)
    found = [retry_delay(tries, FAILED) for tries in range(1, len(WAITS) + 1)]
    assert found == [timedelta(seconds=wait * longer) for wait in WAITS]


def test_a_receiver_may_ask_for_a_longer_wait_up_to_a_day_and_for_no_shorter_one(monkeypatch):
    monkeypatch.setattr(random, "uniform", min)
    for seconds, waited in ((6, 6), (4, 5), (24 * HOUR, 24 * HOUR), (24 * HOUR + 1, 24 * HOUR)):
        assert retry_delay(1, asked(seconds)) == timedelta(seconds=waited)
    assert retry_delay(9, asked(23 * HOUR)) == timedelta(hours=24)


# --- Claiming -----------------------------------------------------------------------------------


def test_a_claim_is_leased_for_the_deadline_of_a_post_and_45_seconds(settings):
    settings.WEBHOOK_TIMEOUT_SECONDS = 7
    event = happened(organisation(URL))
    before = timezone.now()
    (claim,) = claim_due(most=1)
    lease = timedelta(seconds=52)
    assert before + lease <= claim.leased_until <= timezone.now() + lease
    event.refresh_from_db()
    assert event.leased_until == event.next_attempt_at == claim.leased_until
    assert (claim.event_id, claim.organisation_id) == (event.id, event.organisation_id)
    assert (claim.body, claim.url) == (event.body, URL)


def test_four_events_of_an_organisation_are_claimed_at_a_time():
    owner, other = organisation(URL), organisation(URL, "Other")
    events = [happened(owner) for _ in range(6)]
    for place, event in enumerate(events):
        set_by_hand(event, next_attempt_at=timezone.now() - timedelta(seconds=60 - place))
    late = happened(other)
    claims = claim_due(most=16)
    assert sorted(claim.event_id for claim in claims if claim.organisation_id == owner.id) == [
        event.id for event in events[:4]
    ]
    assert [c.event_id for c in claims if c.organisation_id == other.id] == [late.id]


def test_what_is_due_without_an_enabled_endpoint_is_unsent_and_all_else_stays():
    owner, mute = organisation(URL), switched_off(organisation(URL, "Mute"))
    claimed = [happened(owner) for _ in range(6)]
    for place, event in enumerate(claimed):
        set_by_hand(event, next_attempt_at=timezone.now() - timedelta(seconds=60 - place))
    done = happened(owner)
    set_by_hand(done, status="Delivered", next_attempt_at=None)
    unsent = [happened(mute) for _ in range(6)]
    later, exhausted = happened(mute), nobody_took(happened(mute))
    set_by_hand(later, next_attempt_at=timezone.now() + timedelta(hours=1))
    claims = claim_due(most=16)
    assert {claim.event_id for claim in claims} == {event.id for event in claimed[:4]}
    assert statuses(claimed) == ["Pending"] * 6
    assert statuses(unsent) == ["Unsent"] * 6
    assert {(each.next_attempt_at, each.leased_until) for each in unsent} == {(None, None)}
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
def test_the_former_secret_signs_until_its_time_is_over(previous, until, signs):
    owner = organisation(URL)
    happened(owner)
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    endpoint.secret, endpoint.previous_secret = NEW, previous
    endpoint.previous_secret_until = None if until is None else timezone.now() + until
    endpoint.save()
    (claim,) = claim_due(most=1)
    assert claim.signing_secrets == signs


@pytest.mark.django_db(transaction=True)
def test_an_event_that_somebody_has_locked_is_left_out_and_not_waited_for():
    mute = switched_off(organisation(URL))
    events = [happened(mute) for _ in range(6)]
    with session("runtime") as other, connection.cursor() as cursor:
        other.execute("SELECT FROM exchange_event WHERE id = %s FOR UPDATE", [events[5].id])
        cursor.execute("SET lock_timeout = '100ms'")
        assert claim_due(most=16) == []
        assert statuses(events) == ["Unsent"] * 5 + ["Pending"]


# --- What came of an attempt --------------------------------------------------------------------


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
def test_an_attempt_moves_its_event_on(monkeypatch, before, outcome, after, result):
    monkeypatch.setattr(random, "uniform", min)
    event, other = happened(organisation(URL)), happened(organisation(URL, "Other"))
    set_by_hand(event, attempts=before)
    (claim,) = [each for each in claim_due(most=2) if each.event_id == event.id]
    begins = timezone.now()
    assert answered(claim, outcome) == result
    assert state(event) == after
    assert event.leased_until is None
    assert (event.delivered_at is not None) == (result == DeliveryResult.DELIVERED)
    if result == DeliveryResult.RETRIED_LATER:
        wait = timedelta(seconds=WAITS[before])
        assert event.next_attempt_at is not None
        assert begins + wait <= event.next_attempt_at <= timezone.now() + wait
    else:
        assert event.next_attempt_at is None
    assert state(other) == ("Pending", 0)


def test_each_attempt_is_kept_under_the_next_number_with_the_beginning_of_its_error():
    event = happened(organisation(URL))
    (claim,) = claim_due(most=1)
    failed = PostOutcome(None, 7, error="a" * 300 + "b")
    results = [answered(claim, failed), answered(claim, PostOutcome(200, 8, "late"))]
    assert results == [DeliveryResult.RETRIED_LATER, DeliveryResult.STALE]
    kept = event.delivery_attempts.order_by("number").values_list(
        "number", "url", "milliseconds", "status_code", "error", "answer"
    )
    assert list(kept) == [(1, URL, 7, None, "a" * 300, ""), (2, URL, 8, 200, "", "late")]
    assert state(event) == ("Pending", 1)


def test_410_leaves_unsent_what_waits_and_nothing_that_is_being_sent_or_is_over():
    now, hour = timezone.now(), timedelta(hours=1)
    owner, other = organisation(URL), organisation(URL, "Other")
    first = happened(owner)
    (claim,) = claim_due(most=1)
    waits, abandoned, sending, done = [happened(owner) for _ in range(4)]
    set_by_hand(waits, next_attempt_at=now + hour)
    set_by_hand(abandoned, leased_until=now - hour)
    set_by_hand(sending, leased_until=now + hour, next_attempt_at=now + hour)
    set_by_hand(done, status="Delivered", next_attempt_at=None)
    spared = happened(other)
    assert answered(claim, GONE) == DeliveryResult.UNSENT
    assert state(first) == ("Unsent", 1)
    assert statuses([waits, abandoned, sending, done]) == [
        "Unsent", "Unsent", "Pending", "Delivered",
    ]  # fmt: skip
    assert (abandoned.next_attempt_at, abandoned.leased_until) == (None, None)
    assert state(spared) == ("Pending", 0)
    found = WebhookEndpoint.objects.values_list("organisation", "enabled", "disabled_reason")
    assert set(found) == {
        (owner.pk, False, "The endpoint answered 410 Gone"),
        (other.pk, True, ""),
    }


def test_410_that_comes_after_the_lease_has_run_out_counts_while_nobody_else_has_one():
    event, past = happened(organisation(URL)), timezone.now() - timedelta(seconds=1)
    (claim,) = claim_due(most=1)
    set_by_hand(event, leased_until=past, next_attempt_at=past)
    assert answered(replace(claim, leased_until=past), GONE) == DeliveryResult.UNSENT
    assert state(event) == ("Unsent", 1)
    assert (event.leased_until, event.next_attempt_at) == (None, None)


def test_410_of_an_endpoint_that_is_off_already_keeps_the_reason_it_is_off_for():
    owner, _ = organisation(URL), organisation(URL, "Other")
    event = happened(owner)
    (claim,) = claim_due(most=1)
    switched_off(owner)
    assert answered(claim, GONE) == DeliveryResult.UNSENT
    assert state(event) == ("Unsent", 1)
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    assert (endpoint.enabled, endpoint.disabled_reason) == (False, "Switched off by the exchange")


def test_410_of_an_address_that_is_no_longer_the_endpoints_is_a_failure_like_others():
    owner = organisation(URL)
    event = happened(owner)
    (claim,) = claim_due(most=1)
    WebhookEndpoint.objects.update(url=f"{URL}/new")
    assert answered(claim, GONE) == DeliveryResult.RETRIED_LATER
    assert state(event) == ("Pending", 1)
    assert WebhookEndpoint.objects.get(organisation=owner).enabled


# --- A run --------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """The clock that a run ends by, which the test sets."""
    told = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(deliveries, "time", SimpleNamespace(monotonic=lambda: told.now))
    return told


class Script:
    """Answers the n-th request after calling the n-th function."""

    def __init__(self, *steps: Any) -> None:
        self._steps: Iterator[Any] = iter(steps)

    def __call__(self, _: Received) -> Reply:
        step = next(self._steps, None)
        if step is not None:
            step()
        return Reply()


def test_a_run_delivers_all_that_is_due_and_says_that_there_is_no_more(receiver: Receiver):
    owners = [organisation(receiver.url, f"Firm {n}") for n in range(3)]
    events = [happened(owner) for owner in owners for _ in range(2)]
    assert deliver_due() == RunSummary(6, more=False)
    assert statuses(events) == ["Delivered"] * 6
    assert deliver_due() == RunSummary(0, more=False)
    assert len(receiver.received) == 6


def test_a_run_claims_for_twenty_seconds_and_records_what_it_has_begun(receiver, clock):
    events = [happened(organisation(receiver.url, f"Firm {n}")) for n in range(4)]

    def at(seconds: float) -> Any:
        return lambda: setattr(clock, "now", 1000.0 + seconds)

    receiver.reply = Script(at(19.5), at(20))
    assert deliver_due(concurrency=1) == RunSummary(2, more=True)
    assert sorted(statuses(events)) == ["Delivered", "Delivered", "Pending", "Pending"]
    assert not Event.objects.filter(leased_until__isnull=False).exists()


def test_a_run_claims_no_more_than_it_has_threads_to_post_with(receiver, clock):
    """The first post goes on until the third arrives, which the second has made room for."""
    events = [happened(organisation(receiver.url, f"Firm {n}")) for n in range(6)]
    third = threading.Event()

    def end() -> None:
        clock.now += 20
        third.set()

    receiver.reply = Script(lambda: third.wait(10), None, end)
    assert deliver_due(concurrency=2) == RunSummary(3, more=True)
    assert sorted(statuses(events)) == ["Delivered"] * 3 + ["Pending"] * 3


def test_sixteen_posts_are_made_at_a_time(receiver, clock):
    for n in range(18):
        happened(organisation(receiver.url, f"Firm {n}"))
    receiver.reply = Script(lambda: setattr(clock, "now", 1020.0))
    assert deliver_due() == RunSummary(16, more=True)
    assert len(receiver.received) == 16


def test_what_becomes_due_meanwhile_is_sent_though_another_post_takes_long(receiver: Receiver):
    owner, other = organisation(receiver.url), organisation(receiver.url, "Other")
    happened(owner)
    soon = happened(other)
    set_by_hand(soon, next_attempt_at=timezone.now() + timedelta(milliseconds=200))
    arrived, came = threading.Event(), []
    receiver.reply = Script(lambda: came.append(arrived.wait(1.2)), arrived.set)
    with CaptureQueriesContext(connection) as made:
        assert deliver_due() == RunSummary(2, more=False)
    assert came == [True]
    # Every quarter of a second, not all the time.
    claims = [each for each in made if "RETURNING e.id" in each["sql"]]
    assert len(claims) < 12


def test_an_attempt_that_cannot_be_made_holds_up_no_other(receiver: Receiver):
    broken, whole = organisation(receiver.url), organisation(receiver.url, "Other")
    endpoint = WebhookEndpoint.objects.get(organisation=broken)
    endpoint.secret = "whsec_a"  # not base64
    endpoint.save()
    events = [happened(broken), happened(whole)]
    assert deliver_due() == RunSummary(2, more=False)
    assert statuses(events) == ["Pending", "Delivered"]
    assert events[0].leased_until is not None
    assert history(events[0]) == []
    assert len(receiver.received) == 1
