"""Databases whose partitions start in the past, and rows of chosen times."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import psycopg
from django.db.models import QuerySet

from exchange.core.ids import first_id_at, uuid7
from exchange.core.models import IdempotencyRecord, current_month
from tests.environment.database import (
    Connection,
    django_connected_to,
    extra_database,
    server_url,
)
from tests.factories.plain_sql import make_organisation

# Months with a partition after this one.
MONTHS_AHEAD = 3
TABLES = (
    "exchange_change",
    "exchange_deliveryattempt",
    "exchange_event",
    "exchange_eventdelivery",
    "exchange_eventnumber",
    "exchange_loggedrequest",
    "exchange_idempotencyrecord",
)


def keys_of_month() -> QuerySet[IdempotencyRecord]:
    """Return the idempotency records of this month: one of each key.

    On the first day of a month a key has one in the last month too.
    """
    return IdempotencyRecord.objects.filter(month=current_month())


def month(offset: int) -> date:
    """Return the first day of the month `offset` months from now."""
    index = current_month().year * 12 + current_month().month - 1 + offset
    return date(index // 12, index % 12 + 1, 1)


def name_of(table: str, offset: int) -> str:
    """Return the name of the partition of that month."""
    return f"{table}_{month(offset):%Y_%m}"


def start_of(offset: int) -> datetime:
    """Return the first moment of that month."""
    first = month(offset)
    return datetime(first.year, first.month, 1, tzinfo=UTC)


@contextmanager
def connected_database(suffix: str, copy_of: str = "") -> Iterator[Connection]:
    """Connect Django to a copy of the template, or of `copy_of`; yield its owner's connection."""
    with (
        extra_database(suffix, migrated=True, copy_of=copy_of) as name,
        psycopg.connect(server_url(name), autocommit=True) as owner,
        django_connected_to(name),
    ):
        yield owner


@contextmanager
def database_with_months(back: int, *, added: bool = True) -> Iterator[Connection]:
    """Connect Django to a database with partitions of the last `back` months; yield its owner's.

    Unless `added`, the months are missing, as after a time in which no task ran.
    """
    with connected_database("months") as owner:
        forget_months(owner, month(-back))
        if added:
            for table in TABLES:
                owner.execute("SELECT add_partitions(%s)", [table])
        yield owner


def forget_months(owner: Connection, start: date) -> None:
    """Leave two partitions of each table: everything before `start`, and everything later."""
    for table in TABLES:
        for partition, starts, ends in owner.execute(
            "SELECT partition, starts, ends FROM month_partitions() WHERE parent = %s", [table]
        ).fetchall():
            owner.execute(f"ALTER TABLE {table} DETACH PARTITION partitions.{partition}")
            if starts and ends:
                owner.execute(f"DROP TABLE partitions.{partition}")
        bound = start if table == TABLES[-1] else first_id_at(start_moment(start)).int >> 80 << 80
        literal = f"'{bound if isinstance(bound, date) else UUID(int=bound)}'"
        owner.execute(
            f"ALTER TABLE {table} ATTACH PARTITION partitions.{table}"
            f" FOR VALUES FROM (MINVALUE) TO ({literal})"
        )
        owner.execute(
            f"ALTER TABLE {table} ATTACH PARTITION partitions.{table}_later"
            f" FOR VALUES FROM ({literal}) TO (MAXVALUE)"
        )


def start_moment(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def id_at(moment: datetime) -> UUID:
    """Return a new UUIDv7 of that moment."""
    random = uuid7().int & ((1 << 62) - 1)
    return UUID(int=first_id_at(moment).int | random)


def insert_event(
    owner: Connection, moment: datetime, *, status: str = "Delivered", organisation: object = None
) -> UUID:
    """Insert an event of that moment, with its number, a delivery and an attempt; return its id.

    The endpoint is deleted.
    """
    event = id_at(moment)
    owner.execute(
        "INSERT INTO exchange_event (id, organisation_id, type, subject_id, body, status,"
        " created_at) VALUES (%s, %s, 'webhook.test', %s, '{}', %s, %s)",
        [event, organisation or make_organisation(owner), uuid7(), status, moment],
    )
    owner.execute(
        "INSERT INTO exchange_eventdelivery (event_id, endpoint_id, status, next_attempt_at)"
        " VALUES (%s, %s, %s, %s)",
        [event, uuid7(), status, moment if status == "Pending" else None],
    )
    owner.execute(
        "INSERT INTO exchange_deliveryattempt (id, event_id, number, url, attempted_at,"
        " milliseconds, error, answer) VALUES (%s, %s, 1, 'https://a.example', %s, 5, '', '')",
        [id_at(moment + timedelta(milliseconds=1)), event, moment],
    )
    owner.execute("SELECT number_events()")
    return event


def insert_change(owner: Connection, moment: datetime, record: object) -> UUID:
    """Insert a change of that moment."""
    change = id_at(moment)
    owner.execute(
        "INSERT INTO exchange_change (id, at, actor, actor_label, via, database_user, application,"
        " table_name, record_id, about_id, operation)"
        " VALUES (%s, %s, 'system:test', '', '', 'test', '', 'exchange_member', %s, '', 'UPDATE')",
        [change, moment, str(record)],
    )
    return change


def partition_of(owner: Connection, table: str, row: UUID) -> str:
    """Return the name of the partition that has the row."""
    found = owner.execute(
        f"SELECT relname FROM pg_class WHERE oid = (SELECT tableoid FROM {table} WHERE id = %s)",
        [row],
    ).fetchone()
    assert found is not None
    return str(found[0])


def attached(owner: Connection, table: str) -> list[str]:
    """Return the partitions of a table, oldest first."""
    rows = owner.execute(
        "SELECT partition FROM month_partitions() WHERE parent = %s", [table]
    ).fetchall()
    return [name for (name,) in rows]
