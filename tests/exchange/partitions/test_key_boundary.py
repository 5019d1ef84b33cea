"""An idempotency key is used once, also across the change of a month.

The functions use the clock of the server, so these tests move the months, not the time: a retention
that reaches back into the last month makes today its first day.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from exchange.core.models import current_month
from tests.environment.database import Connection, session
from tests.environment.processes import wait_until
from tests.factories.months import month
from tests.factories.plain_sql import make_organisation

pytestmark = pytest.mark.django_db(transaction=True)

CLAIM = (
    "SELECT status_code, message, data"
    " FROM claim_idempotency_key(%s, 'POST', '/w', %s, %s, %s, %s::interval)"
)
STORE = "SELECT store_idempotent_response(%s, 'POST', '/w', %s, 201, 'paid', '{\"n\": 1}')"
RELEASE = "SELECT release_idempotency_key(%s, 'POST', '/w', %s)"
PAID = (201, "paid", '{"n": 1}')
FREE = (None, None, None)


def reaching_back() -> timedelta:
    """Return a retention that reaches the last hour of the last month, on every day alike."""
    begins = datetime.combine(current_month(), datetime.min.time(), UTC)
    return datetime.now(UTC) - begins + timedelta(hours=1)


@pytest.fixture
def organisation(owner_connection: Connection) -> Any:
    return make_organisation(owner_connection)


@pytest.fixture
def sessions() -> Iterator[tuple[Connection, Connection]]:
    """Two connections of the service."""
    with session("runtime") as one, session("runtime") as other:
        yield one, other


def claim(
    connection: Connection,
    organisation: Any,
    key: str = "k",
    body: str = "hash",
    *,
    wait: int = 5000,
) -> Any:
    values = [organisation, key, body, wait, reaching_back()]
    return connection.execute(CLAIM, values).fetchone()


def claim_in_last_month(connection: Connection, organisation: Any, key: str = "k") -> None:
    """Do what a request does that begins in the last moment of the last month."""
    connection.execute(
        "INSERT INTO exchange_idempotencyrecord (organisation_id, method, path, key, month,"
        " body_hash, message, data, created_at)"
        " VALUES (%s, 'POST', '/w', %s, %s, 'hash', '', '', %s - interval '1 millisecond')",
        [organisation, key, month(-1), month(0)],
    )


def store(connection: Connection, organisation: Any, key: str = "k") -> None:
    connection.execute(STORE, [organisation, key])


def waits_for_lock(watching: Connection, other: Connection) -> bool:
    waiting = watching.execute(
        "SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'",
        [other.info.backend_pid],
    ).fetchone()
    watching.rollback()
    return waiting is not None


def rows(connection: Connection, key: str = "k") -> list[Any]:
    return connection.execute(
        "SELECT month, status_code FROM exchange_idempotencyrecord WHERE key = %s ORDER BY month",
        [key],
    ).fetchall()


def test_a_key_of_the_last_month_is_replayed_in_this_one(sessions, organisation):
    first, second = sessions
    claim_in_last_month(first, organisation)
    store(first, organisation)
    first.commit()
    assert claim(second, organisation) == PAID
    second.commit()
    assert rows(second) == [(month(-1), 201)]
    with pytest.raises(psycopg.Error) as refused:
        claim(second, organisation, body="another")
    assert refused.value.sqlstate == "XI422"


def test_a_duplicate_waits_for_a_request_that_began_in_the_last_month(
    sessions, organisation, owner_connection
):
    first, second = sessions
    claim_in_last_month(first, organisation)
    with pytest.raises(psycopg.errors.LockNotAvailable):
        claim(second, organisation, wait=50)
    second.rollback()
    with ThreadPoolExecutor(1) as threads:
        duplicate = threads.submit(claim, second, organisation)
        wait_until(lambda: waits_for_lock(owner_connection, second), "the duplicate waits")
        store(first, organisation)
        first.commit()
        assert duplicate.result() == PAID


def test_a_duplicate_takes_over_when_that_request_fails(sessions, organisation, owner_connection):
    first, second = sessions
    claim_in_last_month(first, organisation)
    with ThreadPoolExecutor(1) as threads:
        duplicate = threads.submit(claim, second, organisation)
        wait_until(lambda: waits_for_lock(owner_connection, second), "the duplicate waits")
        first.rollback()
        assert duplicate.result() == FREE


def test_a_request_that_began_in_the_last_month_finds_the_faster_one_of_this_month(
    sessions, organisation
):
    first, second = sessions
    assert claim(first, organisation) == FREE
    store(first, organisation)
    first.commit()
    with pytest.raises(psycopg.errors.UniqueViolation):
        claim_in_last_month(second, organisation)


def test_a_key_is_found_from_both_months_and_has_its_response_in_both(sessions, organisation):
    first, second = sessions
    assert claim(first, organisation) == FREE
    store(first, organisation)
    first.commit()
    assert rows(first) == [(month(-1), 201), (month(0), 201)]
    # Later in the month only this one is searched.
    today_only = [organisation, "k", "hash", 50, timedelta(minutes=5)]
    assert second.execute(CLAIM, today_only).fetchone() == PAID
    assert claim(second, organisation) == PAID


def test_a_released_key_is_free_in_both_months(sessions, organisation):
    first, second = sessions
    claim(first, organisation)
    first.execute(RELEASE, [organisation, "k"])
    first.commit()
    assert rows(second) == []
    assert claim(second, organisation) == FREE


def test_after_the_clock_was_set_back_the_later_month_counts(sessions, organisation):
    """The key has a row in this month only, as if it was claimed late in it."""
    first, second = sessions
    first.execute(
        "INSERT INTO exchange_idempotencyrecord (organisation_id, method, path, key, month,"
        " body_hash, status_code, message, data, created_at)"
        " VALUES (%s, 'POST', '/w', 'k', %s, 'hash', 201, 'paid', '{\"n\": 1}', now())",
        [organisation, month(0)],
    )
    first.commit()
    assert claim(second, organisation) == PAID
    second.commit()
    assert rows(second) == [(month(0), 201)]


def test_many_duplicates_around_the_change_of_a_month_have_one_effect(organisation):
    """Half of them began in the last month; one of all pays."""

    def request(number: int) -> int:
        with session("runtime") as connection:
            try:
                if number % 2:
                    claim_in_last_month(connection, organisation, "race")
                elif claim(connection, organisation, "race") != FREE:
                    return 0
            except psycopg.errors.UniqueViolation:
                return 0
            store(connection, organisation, "race")
            connection.commit()
            return 1

    for _ in range(10):
        with ThreadPoolExecutor(6) as threads:
            assert sum(threads.map(request, range(6))) == 1
        with session("owner") as owner:
            owner.execute("DELETE FROM exchange_idempotencyrecord")
            owner.commit()
