"""Numbers of events: after the commit, in the order of changes, never below one that was given."""

import threading
from concurrent.futures import Future
from datetime import datetime
from uuid import UUID

import pytest
from django.db import OperationalError, connection, transaction
from psycopg import errors

from exchange.core.ids import uuid7
from exchange.events.models import Event, EventNumber, UnnumberedEvent
from exchange.events.services.deliveries import deliver_due
from exchange.events.services.numbering import number_events
from exchange.participants.models import Organisation
from tests.environment.concurrency import start_call
from tests.environment.database import Connection, session
from tests.environment.processes import wait_until
from tests.environment.webhook_receiver import Receiver
from tests.factories.api_clients import make_organisation
from tests.factories.events import emit_event, make_organisation_with_endpoint
from tests.factories.feed import emit_to
from tests.factories.traders import Trader, make_trader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> Organisation:
    return make_organisation()


def numbered() -> list[str]:
    """Return the ids of numbered events, in order."""
    return [str(number.event_id) for number in EventNumber.objects.order_by("seq")]


def emit_in(writer: Connection, owner: Organisation, count: int = 1) -> list[str]:
    """Write events in the open transaction of `writer`, with descending ids; return these."""
    ids = sorted((uuid7() for _ in range(count)), reverse=True)
    writer.execute(
        "SELECT emit_events(%s::uuid[], %s::uuid[], %s, %s::uuid[], %s)",
        [ids, [owner.id] * count, ["order.created"] * count, ids, ["{}"] * count],
    )
    return list(map(str, ids))


def is_waiting(owner_connection: Connection, kind: str) -> bool:
    found = owner_connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND wait_event = %s",
        [kind],
    ).fetchone()
    return found == (1,)


def test_a_transaction_delays_its_own_events_only(owner: Organisation) -> None:
    with session("runtime") as slow:
        late = emit_in(slow, owner, 2)
        first = emit_to(owner)
        assert number_events() == 1
        second = emit_to(owner)
        assert number_events() == 1
        assert numbered() == [first, second]
        slow.commit()
    assert number_events() == 2
    assert numbered() == [first, second, *late]
    assert number_events() == 0


def test_events_of_a_transaction_that_is_rolled_back_have_no_number(owner: Organisation) -> None:
    with session("runtime") as writer:
        emit_in(writer, owner)
        writer.rollback()
    event = emit_to(owner)
    number_events()
    assert numbered() == [event]
    assert not UnnumberedEvent.objects.exists()


def test_events_of_one_call_keep_its_order_whatever_their_ids(owner: Organisation) -> None:
    with session("runtime") as writer:
        first = emit_in(writer, owner, 20)
        second = emit_in(writer, owner, 20)
        writer.commit()
    assert first == sorted(first, reverse=True)
    number_events()
    assert numbered() == first + second


def test_events_that_are_written_without_the_function_are_numbered_too(owner: Organisation) -> None:
    event = uuid7()
    with session("owner") as writer:
        writer.execute(
            "INSERT INTO exchange_event (id, organisation_id, type, subject_id, body, created_at)"
            " VALUES (%s, %s, 'webhook.test', %s, '{}', now())",
            [event, owner.id, event],
        )
    number_events()
    assert numbered() == [str(event)]


def _now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        (now,) = cursor.fetchone()
    assert isinstance(now, datetime)
    return now


def test_the_time_of_an_event_is_that_of_its_change(owner: Organisation) -> None:
    with transaction.atomic():
        began = _now()
        first, second = (Event.objects.get(pk=emit_to(owner)) for _ in "ab")
    assert began < first.created_at < second.created_at
    assert f'"timestamp":"{first.created_at:%Y-%m-%dT%H:%M:%S}' in first.body


def test_the_dispatcher_numbers_what_is_committed(owner: Organisation) -> None:
    events = [emit_to(owner) for _ in range(3)]
    deliver_due()
    assert numbered() == events


def test_numbers_are_given_ten_thousand_at_a_time(
    owner: Organisation, owner_connection: Connection
) -> None:
    made = "SELECT gen_random_uuid(), %s, 'webhook.test', gen_random_uuid(), '{}', now()"
    owner_connection.execute(
        "INSERT INTO exchange_event (id, organisation_id, type, subject_id, body, created_at)"
        f" {made} FROM generate_series(1, 10001)",
        [owner.id],
    )
    order = UnnumberedEvent.objects.order_by("position").values_list("event_id", flat=True)
    positions = [str(event) for event in order]
    assert [number_events() for _ in range(3)] == [10_000, 1, 0]
    assert numbered() == positions


def test_webhooks_do_not_wait_for_numbering_that_is_stuck(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    with session("runtime") as stuck:
        emit_in(stuck, event.organisation)
        stuck.commit()
        stuck.execute("SELECT number_events()")
        emit_to(event.organisation)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        assert deliver_due().posted == 3
        stuck.rollback()
    assert "events could not be numbered" in caplog.text
    assert numbered() == []
    assert number_events() == 3


# --- at once, and killed ------------------------------------------------------------------------


def test_who_numbers_waits_for_who_began(owner: Organisation, owner_connection: Connection) -> None:
    first = emit_to(owner)
    with transaction.atomic():
        assert number_events() == 1
        second = emit_to_in_thread(owner)
        other = start_call(number_events)
        wait_until(lambda: is_waiting(owner_connection, "advisory"), "the other one waits")
    assert other.result() == 1
    assert numbered() == [first, second]


def emit_to_in_thread(owner: Organisation) -> str:
    return start_call(lambda: emit_to(owner)).result()


def test_two_at_once_number_every_event_once(owner: Organisation) -> None:
    events = [emit_to(owner) for _ in range(50)]
    start = threading.Barrier(4)

    def work() -> int:
        start.wait()
        return number_events()

    calls: list[Future[int]] = [start_call(work) for _ in range(4)]
    assert sum(call.result() for call in calls) == 50
    assert numbered() == events


def test_numbering_that_is_killed_half_way_has_numbered_nothing(
    owner: Organisation, owner_connection: Connection
) -> None:
    events = [emit_to(owner) for _ in range(3)]
    with session("owner") as holder:
        # It has taken the others when it waits for this one.
        holder.execute(
            "SELECT FROM exchange_unnumberedevent WHERE event_id = %s FOR UPDATE", [events[1]]
        )
        killed = start_call(number_events)
        wait_until(lambda: is_waiting(owner_connection, "transactionid"), "it waits")
        owner_connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
            " current_database() AND wait_event = 'transactionid'"
        )
        with pytest.raises(OperationalError):
            killed.result()
    assert numbered() == []
    assert UnnumberedEvent.objects.count() == 3
    assert number_events() == 3
    assert numbered() == events


# --- the service's rights -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "attack",
    [
        "INSERT INTO exchange_eventnumber (event_id, organisation_id, seq, numbered_at)"
        " VALUES (gen_random_uuid(), gen_random_uuid(), 1, now())",
        "UPDATE exchange_eventnumber SET seq = seq + 1",
        "DELETE FROM exchange_eventnumber",
        "TRUNCATE exchange_eventnumber",
        "INSERT INTO exchange_unnumberedevent (event_id, organisation_id)"
        " VALUES (gen_random_uuid(), gen_random_uuid())",
        "UPDATE exchange_unnumberedevent SET position = 1",
        "DELETE FROM exchange_unnumberedevent",
        "TRUNCATE exchange_unnumberedevent",
        "SELECT nextval('exchange_eventnumber_seq')",
        "SELECT setval('exchange_eventnumber_seq', 1)",
        "SELECT nextval('exchange_unnumberedevent_position_seq')",
        "ALTER TABLE exchange_event DISABLE TRIGGER event_queued",
    ],
)
def test_the_service_changes_no_number(owner: Organisation, attack: str) -> None:
    event = emit_to(owner)
    number_events()
    emit_to(owner)
    with session("runtime") as service, pytest.raises(errors.InsufficientPrivilege):
        service.execute(attack)
    assert numbered() == [event]
    assert UnnumberedEvent.objects.count() == 1


@pytest.mark.parametrize(
    "attack",
    ["UPDATE exchange_eventnumber SET seq = seq + 1", "DELETE FROM exchange_eventnumber"],
)
def test_the_owner_changes_no_number_either(
    owner_connection: Connection, owner: Organisation, attack: str
) -> None:
    event = emit_to(owner)
    number_events()
    with pytest.raises(errors.RestrictViolation, match="append-only"):
        owner_connection.execute(attack)
    assert numbered() == [event]


# --- an order that waits for its token's lock ---------------------------------------------------


def test_events_of_an_order_follow_its_fills_not_the_starts_of_transactions(
    owner_connection: Connection,
) -> None:
    """The later fill is of a transaction that began before, and waited for the token's lock."""
    issuer, early, quick = make_trader(), make_trader(100_000), make_trader(100_000)
    token = issuer.issue()
    resting = issuer.place(token, "Sell", "90", 10)
    began, filled = threading.Event(), threading.Event()

    def wait_and_buy() -> UUID:
        with transaction.atomic():
            _now()
            began.set()
            assert filled.wait(60)
            return buy(early)

    def buy(trader: Trader) -> UUID:
        return trader.place(token, "Buy", "90", 5)

    waiting = start_call(wait_and_buy)
    assert began.wait(60)
    with transaction.atomic():
        first = buy(quick)
        filled.set()
        wait_until(
            lambda: is_waiting(owner_connection, "transactionid"), "the order waits for the lock"
        )
    second = waiting.result()
    while number_events():
        pass
    fills = Event.objects.filter(
        organisation=issuer.wallet.organisation, type="trade.created"
    ).order_by("number__seq")
    assert [
        fill.body.count(f'"buy_order":"{order}"') for fill in fills for order in (first, second)
    ]
    about = Event.objects.filter(subject_id=resting).order_by("number__seq")
    assert [event.type for event in about] == ["order.created", "order.fulfilled"]
    assert list(fills) == sorted(fills, key=lambda fill: fill.created_at)
