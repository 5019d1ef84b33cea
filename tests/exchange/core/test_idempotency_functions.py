"""The SQL functions for idempotency keys and responses: owners and expiry."""

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg import DatabaseError, errors

from tests.assertions.statement_results import rolled_back
from tests.environment.database import Connection, session
from tests.factories.plain_sql import make_organisation

CLAIM = "SELECT * FROM claim_idempotency_key(%s, %s, %s, %s, %s, 1000, %s::interval)"
STORE = "SELECT store_idempotent_response(%s, %s, %s, %s, %s, %s, %s)"
RELEASE = "SELECT release_idempotency_key(%s, %s, %s, %s)"
STORED = (
    "SELECT key, body_hash, status_code, message, data FROM exchange_idempotencyrecord"
    " WHERE organisation_id = %s AND method = %s AND path = %s AND key = %s"
)
DAY = "1 day"
NOTHING = (None, None, None)


@pytest.fixture
def owner(owner_connection: Connection) -> Iterator[Connection]:
    with rolled_back(owner_connection) as owner:
        yield owner


@pytest.fixture
def addresses(owner: Connection) -> list[tuple[Any, ...]]:
    """Return one request, and four that differ from it in one part each."""
    one, other = make_organisation(owner), make_organisation(owner)
    return [
        (one, "POST", "/a", "k"),
        (other, "POST", "/a", "k"),
        (one, "PUT", "/a", "k"),
        (one, "POST", "/b", "k"),
        (one, "POST", "/a", "l"),
    ]


def claim(owner: Connection, address: tuple[Any, ...], body: str, kept: str = DAY) -> Any:
    return owner.execute(CLAIM, [*address, body, kept]).fetchone()


def store(owner: Connection, address: tuple[Any, ...], *response: Any) -> None:
    owner.execute(STORE, [*address, *response])


def stored_responses(owner: Connection, addresses: list[tuple[Any, ...]]) -> list[Any]:
    return [owner.execute(STORED, address).fetchone() for address in addresses]


def test_each_request_stores_its_own_response(owner, addresses):
    for number, address in enumerate(addresses):
        assert claim(owner, address, f"body {number}") == NOTHING
    expected: list[Any] = [
        (address[3], f"body {n}", None, "", "") for n, address in enumerate(addresses)
    ]
    assert stored_responses(owner, addresses) == expected
    for number, address in enumerate(addresses):
        store(owner, address, 200 + number, f"done {number}", f"[{number}]")
        expected[number] = (*expected[number][:2], 200 + number, f"done {number}", f"[{number}]")
        assert stored_responses(owner, addresses) == expected
    for number, address in enumerate(addresses):
        assert claim(owner, address, f"body {number}") == expected[number][2:]
    for number, address in enumerate(addresses):
        with pytest.raises(DatabaseError) as refused, owner.transaction():
            claim(owner, address, "another body")
        assert refused.value.sqlstate == "XI422"
        assert stored_responses(owner, addresses)[number] == expected[number]


def test_a_key_is_stored_until_it_expires_and_can_then_be_reused(owner, addresses):
    address, other = addresses[:2]
    for each in (address, other):
        claim(owner, each, "first")
        store(owner, each, 201, "done", "{}")
    response = (201, "done", "{}")
    age = (
        "UPDATE exchange_idempotencyrecord SET created_at = now() - interval '1 day' - %s::interval"
    )
    assert claim(owner, address, "first", "0") == response
    owner.execute(age, ["0"])
    assert claim(owner, address, "first") == response
    owner.execute(age, ["1 microsecond"])
    assert claim(owner, address, "another") == NOTHING
    assert stored_responses(owner, [address, other]) == [
        ("k", "another", None, "", ""),
        ("k", "first", *response),
    ]
    new = owner.execute(
        "SELECT organisation_id FROM exchange_idempotencyrecord"
        " WHERE created_at = now() AND month = month_of(now())"
    ).fetchall()
    assert new == [(address[0],)]


CLAIMING = "SELECT claim_idempotency_key(%s, 'POST', '/a', 'k', 'body', 20, '1 day')"


@pytest.mark.django_db(transaction=True)
def test_a_claim_restores_the_lock_timeout(owner_connection):
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL lock_timeout = '7s'")
        owner_connection.execute(CLAIMING, [make_organisation(owner_connection)])
        assert owner_connection.execute("SHOW lock_timeout").fetchone() == ("7s",)
    assert owner_connection.execute("SHOW lock_timeout").fetchone() == ("0",)


@pytest.mark.django_db(transaction=True)
def test_a_claim_waits_only_so_long_for_a_concurrent_one(owner_connection):
    """The lock timeout ends with the broken transaction."""
    values = [make_organisation(owner_connection)]
    with rolled_back(owner_connection) as first, session("owner") as second:
        first.execute(CLAIMING, values)
        second.autocommit = True
        # Far above the claim's wait, so that an endless wait fails.
        second.execute("SET statement_timeout = '5s'")
        with pytest.raises(errors.LockNotAvailable):
            second.execute(CLAIMING, values)
        assert second.execute("SHOW lock_timeout").fetchone() == ("0",)


def test_a_released_key_is_free_and_others_are_not(owner, addresses):
    for number in range(len(addresses)):
        for place, address in enumerate(addresses):
            assert claim(owner, address, f"body {place}") == NOTHING
        kept = stored_responses(owner, addresses)
        assert None not in kept
        owner.execute(RELEASE, addresses[number])
        assert stored_responses(owner, addresses) == [*kept[:number], None, *kept[number + 1 :]]
        for address in addresses:
            owner.execute(RELEASE, address)
        assert stored_responses(owner, addresses) == [None] * len(addresses)
