"""Candles of closed hours are written once, in steps, and by functions only."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import transaction
from psycopg import errors

from config.celery import SCHEDULE, app
from exchange.core.database import fetch_one
from exchange.core.ids import uuid7
from orders.market import services
from orders.market.models import Candle, CandleProgress
from orders.market.services import write_candles
from tests.environment.database import server_url, worker_database
from tests.environment.owner import as_owner
from tests.factories.market_trades import (
    DAY,
    HOUR,
    MINUTE,
    NOON,
    insert_trades,
    plain_candles,
    random_trades,
    sold,
)

pytestmark = pytest.mark.django_db(transaction=True)

Connection = psycopg.Connection[Any]


@pytest.fixture
def session() -> Iterator[Callable[[], Connection]]:
    """Open sessions of the service."""
    opened: list[Connection] = []

    def open_session() -> Connection:
        connection = psycopg.connect(server_url(worker_database()), autocommit=True)
        opened.append(connection)
        connection.execute("SET ROLE exchange_runtime")
        return connection

    yield open_session
    for connection in opened:
        connection.close()


def stored() -> list[dict[str, Any]]:
    names = ("starts_at", "open", "high", "low", "close", "volume", "value", "trades")
    return list(Candle.objects.order_by("starts_at", "token_id").values(*names))


def expected(trades: Any) -> list[dict[str, Any]]:
    return plain_candles(trades, HOUR, NOON - DAY, NOON + DAY)


def this_hour() -> datetime:
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0)


def test_every_closed_hour_with_trades_is_written_and_none_twice():
    trades = insert_trades(uuid7(), random_trades(1, NOON - DAY, NOON + DAY, 200))
    calls = write_candles()
    assert stored() == expected(trades)
    # One for each hour with trades, and for the empty one after it; then to the present.
    assert calls <= 2 * len(stored()) + 2
    progress = CandleProgress.objects.get()
    before = list(Candle.objects.values())
    assert write_candles() == 1
    assert list(Candle.objects.values()) == before
    assert CandleProgress.objects.get().seq == progress.seq
    assert progress.until >= this_hour() - 2 * HOUR


def test_without_trades_only_the_progress_is_written():
    assert write_candles() == 1
    assert Candle.objects.count() == 0
    assert CandleProgress.objects.get().seq == 0
    assert CandleProgress.objects.get().until >= this_hour() - 2 * HOUR


def test_an_hour_is_written_ten_minutes_after_its_end_and_not_before():
    token = uuid7()
    running = this_hour()
    closed = [running - age * HOUR for age in (4, 3, 2)]
    insert_trades(token, [sold(at, 10) for at in [*closed, running]])
    with transaction.atomic():  # in which PostgreSQL's time stands still
        write_candles()
        row = fetch_one("SELECT date_bin('1 hour', now() - interval '10 minutes', 'epoch')")
    assert CandleProgress.objects.values_list("until").get() == row
    assert [candle.starts_at for candle in Candle.objects.all()] == closed


def test_what_one_run_does_not_reach_the_next_ones_do(monkeypatch):
    monkeypatch.setattr(services, "MAX_HOURS", 3)
    trades = insert_trades(uuid7(), random_trades(2, NOON - DAY, NOON + DAY, 100))
    sizes = []
    while write_candles() == 3:
        sizes.append(len(stored()))
    assert len(sizes) > 3
    assert sizes == sorted(sizes)
    assert stored() == expected(trades)


def test_a_killed_run_leaves_whole_hours(session):
    trades = insert_trades(uuid7(), random_trades(3, NOON - DAY, NOON + DAY, 100))
    killed = session()
    for _ in range(3):
        killed.execute("SELECT write_candles()")
    whole = stored()
    killed.execute("BEGIN")
    killed.execute("SELECT write_candles()")
    killed.close()
    # Waits until the server has ended the session.
    session().execute("SELECT pg_advisory_xact_lock(hashtextextended('candles', 0))")
    assert stored() == whole
    write_candles()
    assert stored() == expected(trades)


def test_a_second_run_does_nothing_while_one_writes(session):
    trades = insert_trades(uuid7(), random_trades(4, NOON - DAY, NOON + DAY, 100))
    one, other = session(), session()
    one.execute("BEGIN")
    [more] = one.execute("SELECT write_candles()").fetchone() or [None]
    assert more
    assert other.execute("SELECT write_candles()").fetchone() == (False,)
    assert stored() == []
    one.execute("COMMIT")
    assert other.execute("SELECT write_candles()").fetchone() == (True,)
    write_candles()
    assert stored() == expected(trades)


def test_many_runs_at_once_write_what_one_does(session):
    trades = insert_trades(uuid7(), random_trades(5, NOON - DAY, NOON + DAY, 200))

    def run(connection: Connection) -> None:
        for _ in range(200):
            connection.execute("SELECT write_candles()")

    threads = [threading.Thread(target=run, args=[session()]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    write_candles()
    assert stored() == expected(trades)


def test_an_hour_waits_for_transactions_that_are_older_than_its_end():
    """Such a one may still write a trade of the hour."""
    insert_trades(uuid7(), [sold(NOON - 2 * HOUR, 4), sold(NOON - MINUTE, 5), sold(NOON, 6)])
    with as_owner(rollback=True) as cursor:
        # As if one had started just before the end of the third hour.
        cursor.execute(
            "CREATE OR REPLACE FUNCTION older_transaction(p_moment timestamptz) RETURNS boolean"
            " LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp"
            " AS $$ SELECT p_moment >= '2020-03-10 13:00Z' $$"
        )
        write_candles()
        assert [candle.close for candle in Candle.objects.all()] == [4, 5]
        assert CandleProgress.objects.get().until == NOON
        assert write_candles() == 1
    assert Candle.objects.count() == 0
    write_candles()
    assert [candle.close for candle in Candle.objects.all()] == [4, 5, 6]


def test_the_service_cannot_write_candles_itself(session):
    insert_trades(uuid7(), [sold(NOON, 5)])
    write_candles()
    runtime = session()
    for attack in (
        "INSERT INTO orders_candle SELECT * FROM orders_candle",
        "UPDATE orders_candle SET close = 1",
        "DELETE FROM orders_candle",
        "TRUNCATE orders_candle",
        "INSERT INTO orders_candleprogress SELECT * FROM orders_candleprogress",
        "UPDATE orders_candleprogress SET until = 'infinity'",
        "DELETE FROM orders_candleprogress",
        "TRUNCATE orders_candleprogress",
        "SELECT * FROM orders_candleprogress FOR UPDATE",
    ):
        with pytest.raises(errors.InsufficientPrivilege):
            runtime.execute(attack)
    before = stored()
    owner = session()
    owner.execute("RESET ROLE")
    for attack in ("UPDATE orders_candle SET close = 1", "DELETE FROM orders_candle"):
        with pytest.raises(errors.RestrictViolation):
            owner.execute(attack)
    with pytest.raises(errors.RestrictViolation):
        owner.execute("TRUNCATE orders_candle")
    with pytest.raises(errors.CheckViolation):
        owner.execute("UPDATE orders_candleprogress SET id = 2")
    assert stored() == before


def test_the_task_runs_each_minute():
    assert SCHEDULE["orders.tasks.write_candles"] == timedelta(minutes=1)
    insert_trades(uuid7(), [sold(NOON, 5)])
    app.loader.import_default_modules()
    assert app.tasks["orders.tasks.write_candles"].run() >= 1
    assert Candle.objects.count() == 1
