"""Delivering events to a real receiver, with the database deciding what is due."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, connections, transaction
from django.utils import timezone
from pytest_django import Settings
from standardwebhooks import Webhook

from exchange.actors import Actor
from exchange.errors import Conflict
from exchange.ids import uuid7
from exchange.models import DeliveryAttempt, Event, Organisation, WebhookEndpoint
from exchange.services import deliveries, webhook_endpoints
from exchange.services.deliveries import Result, claim_due, deliver_due, record, retry_wait, send
from exchange.services.events import (
    EventNotFound,
    emit,
    mark_delivered_without_sending,
    redeliver,
)
from exchange.webhooks.posting import Outcome
from tests.support.receiver import Received, Receiver, Reply

pytestmark = pytest.mark.django_db(transaction=True)

ACTOR = Actor.system("tests")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def organisation(url: str | None, name: str = "Acme") -> Organisation:
    made = Organisation.objects.create(name=name)
    if url is not None:
        webhook_endpoints.set_endpoint(organisation_id=made.id, url=url, actor=ACTOR)
    return made


def happened(owner: Organisation, event_type: str = "withdrawal.created") -> Event:
    event_id = emit(
        organisation_id=owner.id,
        event_type=event_type,
        subject_id=uuid7(),
        data='{"amount":90.02,"name":"Zoë"}',
    )
    return Event.objects.get(id=event_id)


def make_due(event: Event) -> None:
    """Move the clock: what is planned for later is due now."""
    Event.objects.filter(id=event.id).update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def let_lease_run_out(event: Event) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Event.objects.filter(id=event.id).update(next_attempt_at=past, leased_until=past)


def state(event: Event) -> tuple[str, int]:
    event.refresh_from_db()
    return event.status, event.attempts


def history(event: Event) -> list[tuple[int, int | None]]:
    return list(event.delivery_attempts.order_by("number").values_list("number", "status_code"))


def wait_seconds(event: Event) -> float:
    event.refresh_from_db()
    assert event.next_attempt_at is not None
    return (event.next_attempt_at - timezone.now()).total_seconds()


# --- The happy path -----------------------------------------------------------------------------


def test_an_event_is_delivered_once_signed_and_exactly_as_frozen(receiver: Receiver) -> None:
    event = happened(organisation(receiver.url))
    assert deliver_due().posted == 1
    assert deliver_due().posted == 0
    (request,) = receiver.received
    secret = WebhookEndpoint.objects.get(organisation_id=event.organisation_id).secret
    told = Webhook(secret).verify(request.body, request.headers)
    assert request.body == event.body.encode()
    assert request.headers["webhook-id"] == told["id"] == str(event.id)
    assert list(told) == ["id", "type", "timestamp", "data"]
    assert told["type"] == "withdrawal.created"
    assert told["data"] == {"amount": 90.02, "name": "Zoë"}
    assert state(event) == ("Delivered", 1)
    assert (event.next_attempt_at, event.leased_until) == (None, None)
    assert event.delivered_at is not None
    attempt = event.delivery_attempts.get()
    assert (attempt.number, attempt.status_code, attempt.answer) == (1, 200, "taken")
    assert (attempt.url, attempt.error) == (receiver.url, "")


def test_an_event_of_a_rolled_back_change_never_was(receiver: Receiver) -> None:
    owner = organisation(receiver.url)
    with transaction.atomic():
        happened(owner)
        transaction.set_rollback(True)
    assert Event.objects.count() == 0
    assert deliver_due().posted == 0
    assert receiver.received == []


def test_the_timestamp_is_that_of_the_attempt(receiver: Receiver) -> None:
    event = happened(organisation(receiver.url))
    before = int(time.time())
    time.sleep(1.1)
    deliver_due()
    (request,) = receiver.received
    assert int(request.headers["webhook-timestamp"]) > before
    assert state(event) == ("Delivered", 1)


def test_during_rotation_old_and_new_secret_verify_and_after_it_only_the_new(
    receiver: Receiver,
) -> None:
    owner = organisation(receiver.url)
    old = WebhookEndpoint.objects.get(organisation=owner).secret
    _, new = webhook_endpoints.rotate_secret(organisation_id=owner.id, actor=ACTOR)
    happened(owner)
    deliver_due()
    for secret in (old, new):
        Webhook(secret).verify(receiver.received[0].body, receiver.received[0].headers)
    WebhookEndpoint.objects.update(previous_secret_until=timezone.now())
    happened(owner)
    deliver_due()
    headers = receiver.received[1].headers
    assert headers["webhook-signature"].count("v1,") == 1
    Webhook(new).verify(receiver.received[1].body, headers)


# --- Failures and retries -----------------------------------------------------------------------


def test_a_failed_event_is_tried_nine_times_more_at_the_decided_intervals_then_exhausted(
    receiver: Receiver,
) -> None:
    receiver.reply = Reply(500, body=b"no")
    event = happened(organisation(receiver.url))
    decided = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    for tries, seconds in enumerate(decided, start=1):
        assert deliver_due().posted == 1
        assert state(event) == ("Pending", tries)
        assert seconds - 3 < wait_seconds(event) <= seconds * 1.1
        assert deliver_due().posted == 0  # not before its time
        make_due(event)
    assert deliver_due().posted == 1
    assert state(event) == ("Exhausted", 10)
    assert event.next_attempt_at is None
    assert deliver_due().posted == 0
    assert history(event) == [(n, 500) for n in range(1, 11)]
    assert {r.headers["webhook-id"] for r in receiver.received} == {str(event.id)}
    assert len({r.body for r in receiver.received}) == 1


def test_jitter_lengthens_a_wait_by_at_most_a_tenth() -> None:
    refused = Outcome(status_code=500, milliseconds=1)
    waits = [retry_wait(2, refused).total_seconds() for _ in range(200)]
    assert min(waits) >= 300
    assert max(waits) <= 330
    assert max(waits) - min(waits) > 15


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("3600", 3590, 3600), ("1", 3, 5.5), ("99999999", 86390, 86400)],
    ids=["longer", "shorter than planned", "beyond a day"],
)
def test_retry_after_is_honoured_when_longer_and_up_to_a_day(
    receiver: Receiver, asked: str, least: float, most: float
) -> None:
    receiver.reply = Reply(503, {"Retry-After": asked})
    event = happened(organisation(receiver.url))
    deliver_due()
    assert least < wait_seconds(event) <= most


def test_a_receiver_that_comes_back_gets_the_event(receiver: Receiver) -> None:
    receiver.reply = Reply(502)
    event = happened(organisation(receiver.url))
    deliver_due()
    receiver.reply = Reply(204, body=b"")
    make_due(event)
    deliver_due()
    assert state(event) == ("Delivered", 2)
    assert history(event) == [(1, 502), (2, 204)]


def test_410_disables_the_endpoint_and_leaves_what_was_waiting_unsent(receiver: Receiver) -> None:
    receiver.reply = Reply(410)
    owner, other = organisation(receiver.url), organisation(receiver.url, "Other")
    first, later = happened(owner), happened(owner)
    Event.objects.filter(id=later.id).update(next_attempt_at=timezone.now() + timedelta(hours=1))
    spared = happened(other)
    Event.objects.filter(id=spared.id).update(next_attempt_at=timezone.now() + timedelta(hours=1))
    deliver_due()
    assert state(first) == ("Unsent", 1)
    assert state(later) == ("Unsent", 0)
    assert later.next_attempt_at is None
    assert state(spared) == ("Pending", 0)
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    assert (endpoint.enabled, endpoint.disabled_reason) == (False, "The endpoint answered 410 Gone")
    assert WebhookEndpoint.objects.get(organisation=other).enabled
    assert len(receiver.received) == 1


def test_410_of_an_address_that_was_changed_meanwhile_does_not_disable_the_new_one(
    receiver: Receiver,
) -> None:
    receiver.reply = Reply(410)
    owner = organisation(receiver.url)
    event = happened(owner)
    (claim,) = claim_due(most=1)
    sent = send(claim)
    webhook_endpoints.set_endpoint(organisation_id=owner.id, url=receiver.url + "/new", actor=ACTOR)
    assert record(sent) == Result.RETRIED_LATER
    assert state(event) == ("Pending", 1)
    assert WebhookEndpoint.objects.get(organisation=owner).enabled


def test_without_an_endpoint_or_with_a_disabled_one_events_are_unsent(receiver: Receiver) -> None:
    nowhere, off = organisation(None), organisation(receiver.url)
    WebhookEndpoint.objects.update(enabled=False)
    events = [happened(nowhere), happened(off), *(happened(off) for _ in range(9))]
    assert deliver_due().posted == 0
    assert {state(event) for event in events} == {("Unsent", 0)}
    assert receiver.received == []
    assert DeliveryAttempt.objects.count() == 0


def test_a_name_that_leads_to_loopback_is_refused_when_it_is_sent(
    receiver: Receiver, settings: Settings
) -> None:
    url = receiver.url.replace("http://127.0.0.1", "https://localhost")
    event = happened(organisation(url))
    settings.WEBHOOK_ALLOW_LOCAL = False
    deliver_due()
    attempt = event.delivery_attempts.get()
    assert (attempt.status_code, attempt.error) == (
        None,
        "the URL does not lead to a public address over https",
    )
    assert state(event) == ("Pending", 1)
    assert receiver.received == []


# --- Again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["Delivered", "Exhausted", "Unsent", "Pending"])
def test_an_event_in_any_state_can_be_sent_again_and_keeps_its_history(
    receiver: Receiver, status: str
) -> None:
    receiver.reply = Reply(500)
    event = happened(organisation(receiver.url))
    deliver_due()
    Event.objects.filter(id=event.id).update(status=status, attempts=7, delivered_at=None)
    receiver.reply = Reply(200)
    redeliver(event_id=event.id, actor=ACTOR)
    assert state(event) == ("Pending", 0)
    deliver_due()
    assert state(event) == ("Delivered", 1)
    assert history(event) == [(1, 500), (2, 200)]
    assert {r.headers["webhook-id"] for r in receiver.received} == {str(event.id)}


def test_an_event_that_is_being_sent_is_not_sent_twice_by_asking_for_it_again(
    receiver: Receiver,
) -> None:
    event = happened(organisation(receiver.url))
    (claim,) = claim_due(most=1)
    redeliver(event_id=event.id, actor=ACTOR)
    assert claim_due(most=1) == []
    assert record(send(claim)) == Result.DELIVERED
    assert state(event) == ("Delivered", 1)


def test_sending_again_without_an_enabled_endpoint_is_refused_and_changes_nothing(
    receiver: Receiver,
) -> None:
    event = happened(organisation(receiver.url))
    deliver_due()
    WebhookEndpoint.objects.update(enabled=False)
    with pytest.raises(Conflict, match="no enabled webhook endpoint"):
        redeliver(event_id=event.id, actor=ACTOR)
    assert state(event) == ("Delivered", 1)


def test_another_organisations_event_is_not_found(receiver: Receiver) -> None:
    event = happened(organisation(receiver.url))
    deliver_due()
    other = organisation(receiver.url, "Other")
    with pytest.raises(EventNotFound):
        redeliver(event_id=event.id, actor=ACTOR, organisation_id=other.id)
    with pytest.raises(EventNotFound):
        redeliver(event_id=uuid.uuid4(), actor=ACTOR)
    assert state(event) == ("Delivered", 1)


def test_events_of_a_built_world_count_as_delivered_unsent(receiver: Receiver) -> None:
    owner, other = organisation(receiver.url), organisation(receiver.url, "Other")
    quiet, loud = [happened(owner), happened(owner)], happened(other)
    assert mark_delivered_without_sending(organisation_id=owner.id) == 2
    assert deliver_due().posted == 1
    assert {state(event) for event in quiet} == {("Delivered", 0)}
    assert state(loud) == ("Delivered", 1)
    assert all(event.delivered_at for event in quiet)


def test_what_an_event_tells_cannot_be_changed_nor_an_attempt(
    owner_connection: psycopg.Connection[Any], receiver: Receiver
) -> None:
    event = happened(organisation(receiver.url))
    deliver_due()
    with pytest.raises(IntegrityError, match="frozen"):
        Event.objects.filter(id=event.id).update(body="{}")
    with pytest.raises(psycopg.errors.RestrictViolation):
        owner_connection.execute("UPDATE exchange_deliveryattempt SET status_code = 200")
    assert json.loads(Event.objects.get(id=event.id).body)["data"]["amount"] == 90.02


# --- Several workers, and fairness --------------------------------------------------------------


def in_thread(call: Any) -> Any:
    """The result of `call` in a thread with a database connection of its own."""

    def run() -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(run).result()


def test_two_workers_claim_disjoint_rows(receiver: Receiver) -> None:
    owner = organisation(receiver.url)
    events = {happened(owner).id for _ in range(8)}
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


def test_many_workers_at_once_send_every_event_exactly_once(receiver: Receiver) -> None:
    owners = [organisation(receiver.url, f"Firm {n}") for n in range(5)]
    events = [happened(owner) for owner in owners for _ in range(20)]
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


def test_one_organisation_gets_only_its_share_and_the_oldest_go_first(receiver: Receiver) -> None:
    hog, small = organisation(receiver.url, "Hog"), organisation(receiver.url, "Small")
    backlog = [happened(hog) for _ in range(20)]
    late = happened(small)
    claims = claim_due(most=16, per_organisation=4)
    assert [c.event_id for c in claims if c.organisation_id == small.id] == [late.id]
    taken = {c.event_id for c in claims if c.organisation_id == hog.id}
    assert taken == {event.id for event in backlog[:4]}
    # Its share is in use: nothing more until one of those is done.
    assert claim_due(most=16, per_organisation=4) == []
    record(send(claims[0]))
    assert len(claim_due(most=16, per_organisation=4)) == 1


def test_a_slow_endpoint_does_not_hold_up_the_others(
    receiver: Receiver, settings: Settings
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 3
    with Receiver() as slow:
        slow.reply = Reply(wait_seconds=10)
        hog = organisation(slow.url, "Slow")
        for _ in range(30):
            happened(hog)
        quick = organisation(receiver.url, "Quick")
        events = [happened(quick) for _ in range(20)]
        started = time.monotonic()

        def work() -> None:
            deliver_due(concurrency=8, run_seconds=1)
            connections.close_all()

        worker = threading.Thread(target=work)
        worker.start()
        receiver.wait_for(20, seconds=2.5)
        assert time.monotonic() - started < 2.5
        worker.join()
        assert len(slow.received) == deliveries.PER_ORGANISATION
    assert {state(event) for event in events} == {("Delivered", 1)}


def test_a_run_ends_in_time_and_says_that_there_is_more(receiver: Receiver) -> None:
    owner = organisation(receiver.url)
    for _ in range(200):
        happened(owner)

    def slowly(_: Received) -> Reply:
        return Reply(wait_seconds=0.1)

    receiver.reply = slowly
    drained = deliver_due(concurrency=2, run_seconds=0.5)
    assert drained.more
    assert 2 <= drained.posted <= 20
    assert Event.objects.filter(status="Delivered").count() == drained.posted
    assert not Event.objects.filter(leased_until__isnull=False).exists()


# --- A worker that dies or comes late -----------------------------------------------------------


def test_a_worker_that_dies_between_post_and_record_has_the_event_sent_again_under_the_same_id(
    receiver: Receiver,
) -> None:
    event = happened(organisation(receiver.url))
    (claim,) = claim_due(most=1)
    send(claim)  # and the worker is gone
    assert claim_due(most=1) == []
    let_lease_run_out(event)
    assert deliver_due().posted == 1
    assert [r.headers["webhook-id"] for r in receiver.received] == [str(event.id)] * 2
    assert state(event) == ("Delivered", 1)


def test_a_worker_that_comes_late_cannot_overwrite_what_another_recorded(
    receiver: Receiver,
) -> None:
    event = happened(organisation(receiver.url))
    receiver.reply = Reply(500)
    (claim,) = claim_due(most=1)
    late = send(claim)
    let_lease_run_out(event)
    receiver.reply = Reply(200)
    deliver_due()
    assert record(late) == Result.STALE
    assert state(event) == ("Delivered", 1)
    assert event.next_attempt_at is None
    assert history(event) == [(1, 200), (2, 500)]


def test_a_worker_that_comes_late_leaves_an_event_that_another_is_sending_alone(
    receiver: Receiver,
) -> None:
    event = happened(organisation(receiver.url))
    (first,) = claim_due(most=1)
    receiver.reply = Reply(500)
    late = send(first)
    let_lease_run_out(event)
    (second,) = claim_due(most=1)
    assert record(late) == Result.STALE
    event.refresh_from_db()
    assert (event.status, event.attempts) == ("Pending", 0)
    assert event.leased_until == second.leased_until
    receiver.reply = Reply(200)
    assert record(send(second)) == Result.DELIVERED
    assert state(event) == ("Delivered", 1)
    assert history(event) == [(1, 500), (2, 200)]


def test_a_lease_outlives_the_deadline_of_a_post(receiver: Receiver, settings: Settings) -> None:
    happened(organisation(receiver.url))
    (claim,) = claim_due(most=1)
    left = (claim.leased_until - timezone.now()).total_seconds()
    assert left > settings.WEBHOOK_TIMEOUT_SECONDS + 30


def test_no_transaction_is_open_while_posting(receiver: Receiver) -> None:
    event = happened(organisation(receiver.url))
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
    assert state(event) == ("Delivered", 1)
