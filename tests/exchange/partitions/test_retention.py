"""Old months are detached with their rows, and dropped only on request."""

import io
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections
from pytest_django import DjangoDbBlocker

from config.books import CHECKS
from exchange.core.ids import first_id_at
from exchange.core.table_locks import TablesInUse, in_turns
from exchange.events.services.claims import claim_due
from exchange.partitions import services
from tests.environment.database import (
    Connection,
    django_connected_to,
    extra_database,
    server_url,
)
from tests.factories.api_clients import make_caller
from tests.factories.feed import Follower
from tests.factories.months import (
    attached,
    connected_database,
    forget_months,
    insert_change,
    insert_event,
    month,
    name_of,
    start_of,
)
from tests.factories.wallets import make_wallet, store_bank_list
from wallets.ledger.proof import prove

DAY = timedelta(days=1)
DEFAULT = {
    "exchange_event": None,
    "exchange_eventnumber": None,
    "exchange_eventdelivery": None,
    "exchange_deliveryattempt": None,
    "exchange_change": None,
}
# Events go with their numbers and deliveries.
OF_EVENTS = ("exchange_event", "exchange_eventnumber", "exchange_eventdelivery")
EVENTS_4 = {**dict.fromkeys(OF_EVENTS, 4), "exchange_deliveryattempt": 3}
EVENTS_3 = {**dict.fromkeys(OF_EVENTS, 3), "exchange_deliveryattempt": 3}


@pytest.fixture(scope="module")
def template(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Yield the name of a database with partitions of six months, and one before them.

    Each has an event and a change.
    """
    with extra_database("filled", migrated=True) as name:
        with (
            django_db_blocker.unblock(),
            psycopg.connect(server_url(name), autocommit=True) as owner,
            django_connected_to(name),
        ):
            forget_months(owner, month(-6))
            services.add_partitions()
            for offset in range(-7, 1):
                insert_event(owner, start_of(offset) + timedelta(hours=5))
                insert_change(owner, start_of(offset) + timedelta(hours=5), offset)
        yield name


@pytest.fixture
def filled(template: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Connection]:
    """Yield the owner's connection to a copy of the template."""
    with django_db_blocker.unblock(), connected_database("months", template) as owner:
        yield owner


def run(*arguments: str) -> list[str]:
    out = io.StringIO()
    call_command("retention", *arguments, database="owner", stdout=out)
    return out.getvalue().splitlines()


def tables(owner: Connection) -> set[str]:
    rows = owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'partitions'")
    return {name for (name,) in rows.fetchall()}


def count(owner: Connection, table: str) -> int:
    found = owner.execute(f"SELECT count(*) FROM {table}").fetchone()
    assert found is not None
    return int(found[0])


def test_by_default_only_idempotency_keys_go(filled, settings):
    settings.RETENTION_MONTHS = DEFAULT
    keys = "exchange_idempotencyrecord"
    lines = run()
    for table in DEFAULT:
        assert f"{table}: keeps everything" in lines
        assert len(attached(filled, table)) == 12
    assert attached(filled, keys)[-5:] == [*(name_of(keys, n) for n in range(4)), f"{keys}_later"]
    assert set(attached(filled, keys)[:-5]) <= {name_of(keys, -1)}


def test_a_dry_run_changes_nothing_and_a_run_does_what_it_said(filled, settings):
    settings.RETENTION_MONTHS = {**DEFAULT, **EVENTS_4}
    before = tables(filled), attached(filled, "exchange_event")
    said = run("--dry-run", "--drop")
    assert (tables(filled), attached(filled, "exchange_event")) == before

    done = run()
    detached = [line.split(":")[0] for line in said if "would be detached" in line]
    assert [line.split(":")[0] for line in done if ": detached" in line] == detached
    for table in OF_EVENTS:
        assert attached(filled, table)[0] == name_of(table, -4)
        assert count(filled, table) == 5
    assert attached(filled, "exchange_deliveryattempt")[0] == name_of(
        "exchange_deliveryattempt", -3
    )
    assert attached(filled, "exchange_change")[0] == "exchange_change"
    assert (count(filled, "exchange_event"), count(filled, "exchange_deliveryattempt")) == (5, 4)
    # The rows are still there, for a dump.
    assert tables(filled) == before[0]
    assert count(filled, f"partitions.{name_of('exchange_event', -5)}") == 1

    dropped = run("--drop")
    assert {line.split(":")[0] for line in dropped if ": dropped" in line} == {
        line.split(":")[0] for line in said if "would be dropped" in line
    }
    gone = before[0] - tables(filled)
    assert {"exchange_event", name_of("exchange_event", -5)} <= gone
    assert name_of("exchange_event", -4) not in gone
    assert run("--drop") == run("--dry-run")
    assert count(filled, "exchange_event") == 5


def test_a_detached_month_can_be_attached_again(filled, settings):
    settings.RETENTION_MONTHS = {**DEFAULT, **EVENTS_4}
    before = attached(filled, "exchange_event")
    run()
    table, starts, ends = name_of("exchange_event", -5), month(-5), month(-4)
    filled.execute(
        "SELECT attach_partition('exchange_event', %s, %s, %s, true)", [table, starts, ends]
    )
    assert attached(filled, "exchange_event") == before[before.index(table) :]
    assert count(filled, "exchange_event") == 6


def test_a_month_with_pending_events_is_kept_with_all_later_ones(filled, settings):
    settings.RETENTION_MONTHS = {**DEFAULT, **EVENTS_3}
    filled.execute(
        "UPDATE exchange_eventdelivery SET status = 'Pending', next_attempt_at = now()"
        " WHERE event_id >= %s AND event_id < %s",
        [first_id_at(start_of(-5)), first_id_at(start_of(-4))],
    )
    kept = [line for line in run() if "kept, 1 of its events are still to be delivered" in line]
    assert [line.split()[0] for line in kept] == [name_of(table, -5) for table in OF_EVENTS]
    for table in OF_EVENTS:
        assert attached(filled, table)[0] == name_of(table, -5)
    # It is delivered, however old.
    claim_due(most=5)
    assert count(filled, "exchange_event WHERE status = 'Pending'") == 0
    run()
    for table in OF_EVENTS:
        assert attached(filled, table)[0] == name_of(table, -3)


def test_two_runs_at_once_detach_each_month_once(filled, settings):
    settings.RETENTION_MONTHS = {**DEFAULT, "exchange_change": 3}

    def detach() -> list[str]:
        try:
            done = services.detach_expired("exchange_change", using="owner")
            return [one.partition.name for one in done]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        done = [task.result() for task in [threads.submit(detach), threads.submit(detach)]]
    expected = ["exchange_change", *(name_of("exchange_change", n) for n in range(-6, -3))]
    assert set(done[0]) | set(done[1]) == set(expected)
    assert attached(filled, "exchange_change")[0] == name_of("exchange_change", -3)
    assert set(expected) <= tables(filled)


@pytest.mark.slow
def test_a_month_in_use_is_left_and_requests_pass(filled, settings):
    settings.RETENTION_MONTHS = {**DEFAULT, "exchange_change": 3}
    with psycopg.connect(filled.info.dsn, password=filled.info.password) as reader:
        reader.execute("SELECT count(*) FROM exchange_change")
        with pytest.raises(TablesInUse, match="exchange_change is not detached"):
            services.detach_expired("exchange_change", using="owner", wait_seconds=0.8)
        insert_change(filled, start_of(0), "x")
    assert attached(filled, "exchange_change")[0] == "exchange_change"


def test_a_killed_run_leaves_whole_months_and_the_next_one_finishes(filled, settings):
    settings.RETENTION_MONTHS = {**DEFAULT, "exchange_change": 3}
    second = name_of("exchange_change", -6)
    with psycopg.connect(filled.info.dsn, password=filled.info.password) as reader:
        # The first month is free, the second is in use: the run waits in the middle.
        reader.execute(f"SELECT FROM partitions.{second}")
        failures: list[OperationalError] = []

        def detach() -> None:
            try:
                services.detach_expired("exchange_change", using="owner")
            except OperationalError as error:
                failures.append(error)
            finally:
                connections.close_all()

        runner = threading.Thread(target=detach)
        runner.start()
        while attached(filled, "exchange_change")[0] != second:
            assert runner.is_alive()
        killed = None
        while not killed:
            killed = filled.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE"
                " 'LOCK TABLE partitions.%' AND state = 'active' AND wait_event_type = 'Lock'"
            ).fetchone()
        runner.join()
        assert failures
    assert attached(filled, "exchange_change")[0] == second
    assert count(filled, "exchange_change WHERE actor = 'system:test'") == 7
    run()
    assert attached(filled, "exchange_change")[0] == name_of("exchange_change", -3)


def test_the_books_hold_after_the_months_of_events_are_gone(filled):
    store_bank_list()
    make_wallet(1000).request(100)
    assert prove(CHECKS).findings == ()
    # As if this month were past its retention.
    events = [
        one for one in attached(filled, "exchange_event") if one <= name_of("exchange_event", 0)
    ]
    for partition in [*events, "exchange_event"]:
        if partition in attached(filled, "exchange_event"):
            filled.execute(f"ALTER TABLE exchange_event DETACH PARTITION partitions.{partition}")
    assert count(filled, "exchange_event") == 0
    since = filled.execute("SELECT events_complete_since() = first_id_of(%s)", [month(1) + DAY])
    assert since.fetchone() == (True,)
    assert prove(CHECKS).findings == ()


def test_a_partition_in_use_is_reported_in_one_line(filled, settings, monkeypatch):
    settings.RETENTION_MONTHS = {**DEFAULT, "exchange_change": 3}
    monkeypatch.setattr(
        services,
        "in_turns",
        lambda work, effect, **_: in_turns(work, effect=effect, wait_seconds=0),
    )
    with psycopg.connect(filled.info.dsn, password=filled.info.password) as reader:
        reader.execute("SELECT count(*) FROM exchange_change")
        with pytest.raises(CommandError, match=r"Stop what holds it .* run `retention` again"):
            run()


@pytest.mark.urls("tests.environment.api_urls")
def test_a_cursor_of_a_removed_month_goes_on_with_the_oldest_that_is_kept(filled, settings):
    settings.RETENTION_MONTHS = {**DEFAULT, **EVENTS_4}
    caller = make_caller(["webhooks:manage"])
    events = [
        str(insert_event(filled, start_of(offset) + DAY, organisation=caller.organisation.id))
        for offset in range(-6, 1)
    ]
    removed, kept = Follower(caller, limit=1), Follower(caller, limit=4)
    assert (removed.read(), kept.read()) == (events[:1], events[:4])
    run("--drop")
    # Of months -6 and -5 nothing is left; month -4 is the oldest.
    removed.limit = 10
    assert removed.read() == events[2:]
    assert kept.read_all() == events[4:]
    assert Follower(caller).read_all() == events[2:]
