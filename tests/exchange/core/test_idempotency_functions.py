"""Keys and answers, as the functions of the database keep them: whose, and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg import DatabaseError, errors

from exchange.core.ids import uuid7
from tests.assertions.verdicts import undone
from tests.environment.database import Connection, session
from tests.factories.plain_sql import make_organisation

CLAIM = "SELECT * FROM claim_idempotency_key(%s, %s, %s, %s, %s, 1000, %s::interval)"
STORE = "SELECT store_idempotent_answer(%s, %s, %s, %s, %s, %s, %s)"
STORED = (
    "SELECT key, body_hash, status_code, message, data FROM exchange_idempotencyrecord"
    " WHERE organisation_id = %s AND method = %s AND path = %s AND key = %s"
)
DAY = "1 day"
NOTHING = (None, None, None)


@pytest.fixture
def owner(owner_connection: Connection) -> Iterator[Connection]:
    with undone(owner_connection) as owner:
        yield owner


@pytest.fixture
def addresses(owner: Connection) -> list[tuple[Any, ...]]:
    """One request, and four that differ from it in one thing each."""
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


def store(owner: Connection, address: tuple[Any, ...], *answer: Any) -> None:
    owner.execute(STORE, [*address, *answer])


def answers(owner: Connection, addresses: list[tuple[Any, ...]]) -> list[Any]:
    return [owner.execute(STORED, address).fetchone() for address in addresses]


def test_each_request_keeps_its_own_answer(owner, addresses):
    for number, address in enumerate(addresses):
        assert claim(owner, address, f"body {number}") == NOTHING
    expected: list[Any] = [
        (address[3], f"body {n}", None, "", "") for n, address in enumerate(addresses)
    ]
    assert answers(owner, addresses) == expected
    for number, address in enumerate(addresses):
        store(owner, address, 200 + number, f"done {number}", f"[{number}]")
        expected[number] = (*expected[number][:2], 200 + number, f"done {number}", f"[{number}]")
        assert answers(owner, addresses) == expected
    for number, address in enumerate(addresses):
        assert claim(owner, address, f"body {number}") == expected[number][2:]
    for number, address in enumerate(addresses):
        with pytest.raises(DatabaseError) as refused, owner.transaction():
            claim(owner, address, "another body")
        assert refused.value.sqlstate == "XI422"
        assert answers(owner, addresses)[number] == expected[number]


def test_a_key_is_kept_to_the_end_of_its_time_and_then_begins_anew(owner, addresses):
    address, other = addresses[:2]
    for each in (address, other):
        claim(owner, each, "first")
        store(owner, each, 201, "done", "{}")
    answer = (201, "done", "{}")
    age = (
        "UPDATE exchange_idempotencyrecord SET created_at = now() - interval '1 day' - %s::interval"
    )
    assert claim(owner, address, "first", "0") == answer
    owner.execute(age, ["0"])
    assert claim(owner, address, "first") == answer
    owner.execute(age, ["1 microsecond"])
    assert claim(owner, address, "another") == NOTHING
    assert answers(owner, [address, other]) == [
        ("k", "another", None, "", ""),
        ("k", "first", *answer),
    ]
    new = owner.execute(
        "SELECT organisation_id FROM exchange_idempotencyrecord WHERE created_at = now()"
    ).fetchall()
    assert new == [(address[0],)]


CLAIMING = {
    "claim_idempotency_key": (
        "SELECT claim_idempotency_key(%(organisation)s, 'POST', '/a', 'k', 'body', 20, '1 day')"
    ),
    "claim_free_keys": (
        "SELECT claim_free_keys(ARRAY[(%(request)s, %(organisation)s, 'POST', '/a', 'k', 'body')"
        "]::idempotency_claim[])"
    ),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("statement", CLAIMING.values(), ids=CLAIMING)
def test_a_claim_leaves_how_long_locks_are_waited_for_as_it_was(owner_connection, statement):
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL lock_timeout = '7s'")
        values = {"request": uuid7(), "organisation": make_organisation(owner_connection)}
        owner_connection.execute(statement, values)
        assert owner_connection.execute("SHOW lock_timeout").fetchone() == ("7s",)
    assert owner_connection.execute("SHOW lock_timeout").fetchone() == ("0",)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("statement", CLAIMING.values(), ids=CLAIMING)
def test_a_key_that_another_is_claiming_is_waited_for_only_so_long(owner_connection, statement):
    """And how long is forgotten with the transaction that was broken by it."""
    values = {"request": uuid7(), "organisation": make_organisation(owner_connection)}
    with undone(owner_connection) as first, session("owner") as second:
        first.execute(statement, values)
        second.autocommit = True
        # Far above what the claim waits, so that nothing hangs where it waits for ever.
        second.execute("SET statement_timeout = '5s'")
        with pytest.raises(errors.LockNotAvailable):
            second.execute(statement, values)
        assert second.execute("SHOW lock_timeout").fetchone() == ("0",)


Claim = tuple[Any, ...]
CLAIMS = (
    "SELECT c.request, c.organisation, c.method, c.path, c.key, c.body_hash"
    " FROM unnest(claim_free_keys(%s::idempotency_claim[])) c"
)
KEEP = "SELECT keep_answers(%s::idempotency_claim[], %s::uuid[], %s::text[], %s, %s)"


def claims(*given: Claim) -> list[str]:
    """As an array of the database's own type is written."""
    return [f"({','.join(map(str, each))})" for each in given]


def test_free_keys_go_to_the_first_who_asked_and_taken_ones_to_nobody(owner, addresses):
    first, *others = (uuid7() for _ in range(9))
    for address in addresses[:2]:
        claim(owner, address, "before")
    mine = [(others[n], *address, f"body {n}") for n, address in enumerate(addresses)]
    twins = [(others[6], *addresses[2], "late"), (first, *addresses[3], "early")]
    ours = owner.execute(CLAIMS, [claims(*mine, *twins)]).fetchall()
    assert sorted(ours) == sorted([mine[2], twins[1], mine[4]])
    bodies = ["before", "before", "body 2", "early", "body 4"]
    assert answers(owner, addresses) == [
        (address[3], body, None, "", "") for address, body in zip(addresses, bodies, strict=True)
    ]
    times = owner.execute(
        "SELECT DISTINCT created_at = now() FROM exchange_idempotencyrecord"
    ).fetchall()
    assert times == [(True,)]
    assert owner.execute(CLAIMS, [claims(*mine)]).fetchall() == []
    assert owner.execute("SELECT claim_free_keys('{}')").fetchone() == ("{}",)


def test_answers_of_a_set_are_kept_for_what_was_done_and_keys_of_the_rest_are_free(
    owner, addresses
):
    asked = [(uuid7(), *address, f"body {n}") for n, address in enumerate(addresses)]
    owner.execute(CLAIMS, [claims(*asked)])
    done = [asked[4][0], asked[1][0], asked[2][0]]
    # The first is of another set, whose transaction is another.
    ours = asked[1:]
    owner.execute(KEEP, [claims(*ours), done, ["[4]", "[1]", "[2]"], 201, "Made"])
    assert answers(owner, addresses) == [
        ("k", "body 0", None, "", ""),
        ("k", "body 1", 201, "Made", "[1]"),
        ("k", "body 2", 201, "Made", "[2]"),
        None,
        ("l", "body 4", 201, "Made", "[4]"),
    ]
    owner.execute(KEEP, [claims(asked[0]), [asked[0][0]], ["[0]"], 200, "All"])
    assert answers(owner, addresses)[:2] == [
        ("k", "body 0", 200, "All", "[0]"),
        ("k", "body 1", 201, "Made", "[1]"),
    ]
    owner.execute(KEEP, [claims(*asked[:2]), [], [], 201, "None"])
    assert answers(owner, addresses)[:3] == [None, None, ("k", "body 2", 201, "Made", "[2]")]
