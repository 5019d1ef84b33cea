"""Months are added ahead, and every row is in the guarded partition of its month."""

from datetime import timedelta

import psycopg
import pytest

from exchange.core import sqlfiles
from exchange.partitions.selectors import count_months_ahead, get_partitions
from exchange.partitions.services import add_partitions
from tests.environment.database import Connection
from tests.factories.months import (
    TABLES,
    attached,
    insert_change,
    insert_event,
    month,
    name_of,
    partition_of,
    start_of,
)


def test_every_table_has_the_months_ahead(months):
    assert count_months_ahead() == dict.fromkeys(TABLES, 3)
    for table in TABLES:
        expected = [table, *(name_of(table, n) for n in range(-14, 4)), f"{table}_later"]
        assert attached(months, table) == expected
        bounds = [(one.starts, one.ends) for one in get_partitions(table)]
        assert bounds == [
            (None, month(-14)),
            *((month(n), month(n + 1)) for n in range(-14, 4)),
            (month(4), None),
        ]
    assert add_partitions() == 0


def test_rows_around_the_change_of_a_month_are_in_its_partitions(months):
    for offset in (-13, 0, 2):
        last, first = start_of(offset) - timedelta(milliseconds=1), start_of(offset)
        for table, insert in (
            ("exchange_event", insert_event),
            ("exchange_change", lambda owner, at: insert_change(owner, at, "x")),
        ):
            assert partition_of(months, table, insert(months, last)) == name_of(table, offset - 1)
            assert partition_of(months, table, insert(months, first)) == name_of(table, offset)


@pytest.mark.parametrize("table", TABLES)
def test_guards_are_on_every_partition_old_and_new(months: Connection, table: str):
    make = dict.fromkeys(
        (
            *("exchange_event", "exchange_eventnumber", "exchange_eventdelivery"),
            "exchange_deliveryattempt",
        ),
        insert_event,
    )
    for partition in attached(months, table):
        with pytest.raises(psycopg.errors.RestrictViolation, match=f"{table} is append-only"):
            months.execute(f"TRUNCATE partitions.{partition}")
    if table == "exchange_idempotencyrecord":
        return
    for offset in (-20, -3, 0, 3, 8):
        at = start_of(offset)
        make[table](months, at) if table in make else insert_change(months, at, "x")
    for partition in attached(months, table):
        count = months.execute(f"SELECT count(*) FROM partitions.{partition}").fetchone()
        column, value = {
            "exchange_event": ("body", "'x'"),
            "exchange_eventnumber": ("seq", "seq + 1"),
            "exchange_eventdelivery": ("attempts", "-1"),
        }.get(table, ("id", "gen_random_uuid()"))
        if count != (0,):
            with pytest.raises((psycopg.errors.RestrictViolation, psycopg.errors.CheckViolation)):
                months.execute(f"UPDATE partitions.{partition} SET {column} = {value}")


def test_resending_an_event_is_audited_under_its_table(months):
    """Triggers of partitions see another table name."""
    event = insert_event(months, start_of(-2), status="Exhausted")
    months.execute(
        "UPDATE exchange_eventdelivery SET status = 'Pending' WHERE event_id = %s", [event]
    )
    found = months.execute(
        "SELECT table_name, operation FROM exchange_change WHERE record_id = %s", [str(event)]
    ).fetchall()
    assert found == [("exchange_event", "UPDATE")]


def test_an_installation_of_the_sql_guards_the_partitions_again(months):
    triggers = (
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid"
        " WHERE c.relnamespace = 'partitions'::regnamespace AND NOT tgisinternal ORDER BY 1, 2"
    )
    before = months.execute(triggers).fetchall()
    assert len(before) > 80
    months.execute("DROP FUNCTION installed_sql()")
    assert sqlfiles.install("owner")
    assert months.execute(triggers).fetchall() == before
