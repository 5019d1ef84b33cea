"""Concurrent workers: no event is sent twice, starved or lost."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone
from pytest_django import Settings

from exchange.events.models import Event, EventDelivery
from exchange.events.services.claims import PER_ENDPOINT, claim_due
from exchange.events.services.deliveries import (
    DeliveryResult,
    deliver_due,
    record_attempt,
    send_event,
)
from tests.environment.webhook_receiver import Received, Receiver, Reply
from tests.factories.events import (
    attempt_history,
    delivery_of,
    emit_event,
    event_state,
    expire_lease,
    make_organisation_with_endpoint,
)

pytestmark = pytest.mark.django_db(transaction=True)


# --- Several workers, and fairness --------------------------------------------------------------


def in_thread(call: Any) -> Any:
    """Return the result of `call` in a thread with its own database connection."""

    def run() -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(run).result()


def test_two_workers_claim_disjoint_rows(receiver: Receiver) -> None:
    owner = make_organisation_with_endpoint(receiver.url)
    events = {emit_event(owner).id for _ in range(8)}
    with transaction.atomic():
        first = {c.event_id for c in claim_due(most=4, per_organisation=8)}
        # The first transaction is still open: its rows are locked, not yet leased.
        second = {c.event_id for c in in_thread(lambda: claim_due(most=8, per_organisation=8))}
    assert len(first) == 4
    assert first | second <= events
    assert first & second == set()
    third = {c.event_id for c in claim_due(most=8, per_organisation=8)}
    assert first | second | third == events
    assert third & (first | second) == set()


@pytest.mark.slow
def test_concurrent_workers_send_every_event_exactly_once(receiver: Receiver) -> None:
    owners = [make_organisation_with_endpoint(receiver.url, f"Firm {n}") for n in range(5)]
    events = [emit_event(owner) for owner in owners for _ in range(20)]
    start = threading.Barrier(4)

    def worker() -> int:
        try:
            start.wait()
            return deliver_due(concurrency=4).posted
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        posted = sum(f.result() for f in [threads.submit(worker) for _ in range(4)])
    deliver_due()
    assert posted <= 100
    assert sorted(r.headers["webhook-id"] for r in receiver.received) == sorted(
        str(event.id) for event in events
    )
    assert set(Event.objects.values_list("status", "attempts")) == {("Delivered", 1)}


def test_an_organisation_is_limited_to_its_share_oldest_first(receiver: Receiver) -> None:
    hog, small = (
        make_organisation_with_endpoint(receiver.url, "Hog"),
        make_organisation_with_endpoint(receiver.url, "Small"),
    )
    backlog = [emit_event(hog) for _ in range(20)]
    late = emit_event(small)
    claims = claim_due(most=16, per_organisation=4)
    assert [c.event_id for c in claims if c.organisation_id == small.id] == [late.id]
    shared = [c for c in claims if c.organisation_id == hog.id]
    assert {c.event_id for c in shared} == {event.id for event in backlog[:4]}
    # Its share is in use until one of these is done.
    assert claim_due(most=16, per_organisation=4) == []
    record_attempt(send_event(shared[0]))
    assert len(claim_due(most=16, per_organisation=4)) == 1


def test_events_awaiting_a_retry_do_not_use_the_share(receiver: Receiver) -> None:
    """They are scheduled within the length of a lease, as running ones, but none is being sent."""
    owner = make_organisation_with_endpoint(receiver.url)
    receiver.reply = Reply(500)
    failed = [emit_event(owner) for _ in range(4)]
    for claim in claim_due(most=16, per_organisation=4):
        assert record_attempt(send_event(claim)) == DeliveryResult.RETRIED_LATER
    assert {event_state(event) for event in failed} == {("Pending", 1)}
    soon = timezone.now() + timedelta(seconds=30)
    EventDelivery.objects.filter(event__in=failed).update(next_attempt_at=soon)
    fresh = [emit_event(owner) for _ in range(5)]
    claims = claim_due(most=16, per_organisation=4)
    assert {claim.event_id for claim in claims} == {event.id for event in fresh[:4]}


def test_a_slow_endpoint_does_not_delay_others(receiver: Receiver, settings: Settings) -> None:
    """It answers only after all events of others have arrived."""
    settings.WEBHOOK_TIMEOUT_SECONDS = 120
    answer = threading.Event()

    def late(_: Received) -> Reply:
        answer.wait(120)
        return Reply()

    with Receiver() as slow:
        slow.reply = late
        hog = make_organisation_with_endpoint(slow.url, "Slow")
        for _ in range(30):
            emit_event(hog)
        quick = make_organisation_with_endpoint(receiver.url, "Quick")
        events = [emit_event(quick) for _ in range(20)]

        def work() -> None:
            deliver_due(concurrency=8, run_seconds=60)
            connections.close_all()

        worker = threading.Thread(target=work)
        worker.start()
        receiver.wait_for(20)
        slow.wait_for(PER_ENDPOINT)
        assert len(slow.received) == PER_ENDPOINT
        answer.set()
        worker.join()
    assert {event_state(event) for event in events} == {("Delivered", 1)}


def test_a_run_ends_in_time_and_reports_remaining_events(receiver: Receiver) -> None:
    owner = make_organisation_with_endpoint(receiver.url)
    for _ in range(200):
        emit_event(owner)

    def slowly(_: Received) -> Reply:
        return Reply(wait_seconds=0.1)

    receiver.reply = slowly
    run = deliver_due(concurrency=2, run_seconds=0.5)
    assert run.more
    assert 2 <= run.posted <= 20
    assert Event.objects.filter(status="Delivered").count() == run.posted
    assert not EventDelivery.objects.filter(leased_until__isnull=False).exists()


# --- Workers that die or are late ---------------------------------------------------------------


def test_an_event_whose_worker_dies_after_the_post_is_sent_again_under_the_same_id(
    receiver: Receiver,
) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    (claim,) = claim_due(most=1)
    send_event(claim)  # the worker dies here
    assert claim_due(most=1) == []
    expire_lease(event)
    assert deliver_due().posted == 1
    assert [r.headers["webhook-id"] for r in receiver.received] == [str(event.id)] * 2
    assert event_state(event) == ("Delivered", 1)


def test_a_late_worker_cannot_overwrite_a_recorded_result(
    receiver: Receiver,
) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    receiver.reply = Reply(500)
    (claim,) = claim_due(most=1)
    late = send_event(claim)
    expire_lease(event)
    receiver.reply = Reply(200)
    deliver_due()
    assert record_attempt(late) == DeliveryResult.STALE
    assert event_state(event) == ("Delivered", 1)
    assert delivery_of(event).next_attempt_at is None
    assert attempt_history(event) == [(1, 200), (2, 500)]


def test_a_late_worker_does_not_change_an_event_being_sent_by_another(
    receiver: Receiver,
) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    (first,) = claim_due(most=1)
    receiver.reply = Reply(500)
    late = send_event(first)
    expire_lease(event)
    (second,) = claim_due(most=1)
    assert record_attempt(late) == DeliveryResult.STALE
    event.refresh_from_db()
    assert (event.status, event.attempts) == ("Pending", 0)
    assert delivery_of(event).leased_until == second.leased_until
    receiver.reply = Reply(200)
    assert record_attempt(send_event(second)) == DeliveryResult.DELIVERED
    assert event_state(event) == ("Delivered", 1)
    assert attempt_history(event) == [(1, 500), (2, 200)]


def test_a_lease_outlives_the_deadline_of_a_post(receiver: Receiver, settings: Settings) -> None:
    emit_event(make_organisation_with_endpoint(receiver.url))
    (claim,) = claim_due(most=1)
    left = (claim.leased_until - timezone.now()).total_seconds()
    assert left > settings.WEBHOOK_TIMEOUT_SECONDS + 30


def test_no_transaction_is_open_while_posting(receiver: Receiver) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    seen: list[tuple[Any, ...]] = []

    def look(_: Received) -> Reply:
        def query() -> None:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
                )
                seen.append(cursor.fetchone())

        in_thread(query)
        return Reply()

    receiver.reply = look
    deliver_due()
    assert seen == [(0,)]
    assert event_state(event) == ("Delivered", 1)
