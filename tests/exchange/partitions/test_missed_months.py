"""Months that were not added in time: no insert fails, and rows are moved once they are."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from django.db import connections

from config.tasks import add_monthly_partitions
from exchange.core.table_locks import in_turns
from exchange.partitions.selectors import count_months_ahead
from exchange.partitions.services import add_partitions
from tests.factories.months import (
    TABLES,
    attached,
    forget_months,
    insert_event,
    month,
    name_of,
    partition_of,
    start_of,
)
from wallets.alerts.models import Alert


def test_rows_of_missed_months_are_kept_and_moved_to_their_months(missed_months):
    owner = missed_months
    made = [insert_event(owner, start_of(n) + timedelta(days=9)) for n in range(-7, 9)]
    later = "exchange_event_later"
    assert [partition_of(owner, "exchange_event", row) for row in made[1:]] == [later] * 15
    assert min(count_months_ahead().values()) < 0

    assert add_partitions() == 10 * len(TABLES)
    assert [partition_of(owner, "exchange_event", row) for row in made] == [
        "exchange_event",
        *(name_of("exchange_event", n) for n in range(-6, 4)),
        *[later] * 5,
    ]
    assert owner.execute("SELECT count(*) FROM exchange_deliveryattempt").fetchone() == (16,)
    assert add_partitions() == 0


def test_two_at_once_add_each_month_once(missed_months):
    def add() -> int:
        try:
            return in_turns(add_partitions, effect="not added")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        for task in [threads.submit(add), threads.submit(add)]:
            task.result()
    assert count_months_ahead() == dict.fromkeys(TABLES, 3)
    for table in TABLES:
        months_of = [name_of(table, n) for n in range(-6, 4)]
        assert attached(missed_months, table) == [table, *months_of, f"{table}_later"]


@pytest.mark.slow
def test_a_table_in_use_is_left_and_reported_until_months_are_added(missed_months):
    owner = missed_months
    with psycopg.connect(owner.info.dsn, password=owner.info.password) as reader:
        reader.execute("SELECT FROM exchange_event")
        before = attached(owner, "exchange_event")
        add_monthly_partitions()
        assert attached(owner, "exchange_event") == before
        assert owner.execute("SELECT count(*) FROM exchange_event").fetchone() == (0,)
    alerts = set(Alert.objects.filter(resolved_at=None).values_list("kind", "subject"))
    assert ("partitions", "exchange_event") in alerts
    add_monthly_partitions()
    assert not Alert.objects.filter(resolved_at=None).exists()
    assert count_months_ahead() == dict.fromkeys(TABLES, 3)


def test_the_alert_comes_before_the_months_run_out(missed_months):
    """The first partition may reach beyond this month: it counts, too."""
    owner = missed_months
    forget_months(owner, month(3))
    assert count_months_ahead() == dict.fromkeys(TABLES, 2)
    forget_months(owner, month(2))
    assert count_months_ahead() == dict.fromkeys(TABLES, 1)


@pytest.mark.slow
def test_inserts_continue_while_months_are_added(missed_months):
    """Whoever inserts waits for the lock, and fails never."""
    owner = missed_months
    stop = threading.Event()
    made: list[object] = []

    def insert() -> None:
        with psycopg.connect(
            owner.info.dsn, password=owner.info.password, autocommit=True
        ) as writer:
            while not stop.is_set():
                made.append(insert_event(writer, start_of(len(made) % 10 - 6)))

    writer = threading.Thread(target=insert)
    writer.start()
    try:
        while len(made) < 20:
            pass
        assert add_partitions() == 10 * len(TABLES)
        seen = len(made)
        while len(made) < seen + 20:
            assert writer.is_alive()
    finally:
        stop.set()
        writer.join()
    assert owner.execute("SELECT count(*) FROM exchange_event").fetchone() == (len(made),)
