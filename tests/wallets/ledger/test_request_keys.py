"""What becomes of the idempotency keys of requests that are carried out together."""

import time
from typing import Any

import psycopg
import pytest

from tests.environment.database import session
from tests.factories.plain_sql import Books, make_organisation
from tests.wallets.ledger.withdrawal_orders import (
    KEYED,
    Owner,
    made,
    open_wallet,
    order,
    replayed,
    request,
    respond,
    store_settings,
    stored,
)

FULL = {"KES available": "500", "KES escrow": "0"}


@pytest.fixture(autouse=True)
def settings_rows(request: pytest.FixtureRequest) -> None:
    if "books" in request.fixturenames:
        store_settings(request.getfixturevalue("books"))


def keyed(owner: Owner, amount: str, key: str, **given: Any) -> dict[str, Any]:
    return order(owner, amount, **{**KEYED, "key": key, **given})


def keep(books: Books, key: str, *, age: str = "0") -> tuple[Any, ...]:
    """Have a key answered so long ago; return what it answers."""
    kept = (200, "before", f'["{key}"]')
    books.owner.execute(
        "INSERT INTO exchange_idempotencyrecord"
        " (organisation_id, method, path, key, month, body_hash, status_code, message, data,"
        " created_at)"
        " VALUES (%s, 'POST', '/w', %s, month_of(now()), 'hash', %s, %s, %s,"
        " now() - %s::interval)",
        [books.organisation, key, *kept, age],
    )
    return kept


def written(books: Books, *orders: dict[str, Any]) -> list[bool]:
    """Of each order whether its withdrawal is there."""
    found = {row[0] for row in books.rows("SELECT id FROM wallets_withdrawal")}
    return [each["withdrawal"] in found for each in orders]


def test_a_used_key_replays_its_response_and_a_new_one_is_stored(books):
    owner = open_wallet(books, FULL)
    kept = keep(books, "seen")
    again, free, bare = keyed(owner, "11", "seen"), keyed(owner, "12", "free"), order(owner, "13")
    found = request(books.owner, bare, free, again)
    assert sorted(found) == sorted([replayed(again, *kept), made(books, free), made(books, bare)])
    assert written(books, again, free, bare) == [False, True, True]
    assert stored(books) == [
        ("free", "hash", 201, "made", respond(books, free)),
        ("seen", "hash", *kept),
    ]


def test_where_every_key_was_seen_nothing_is_done(books):
    owner = open_wallet(books, FULL)
    kept = [keep(books, key) for key in "ab"]
    orders = [keyed(owner, "11", key) for key in "ab"]
    found = request(books.owner, *orders)
    assert found == [replayed(each, *of) for each, of in zip(orders, kept, strict=True)]
    assert written(books, *orders) == [False, False]


@pytest.mark.parametrize("body", ["hash", "another"])
def test_of_two_with_one_key_the_first_by_its_id_is_done_and_the_other_left(books, body):
    """Alone it is answered again then, or refused for its body."""
    owner = open_wallet(books, FULL)
    first, second = keyed(owner, "11", "k"), keyed(owner, "12", "k", body_hash=body)
    assert first["withdrawal"] < second["withdrawal"]
    assert request(books.owner, second, first) == [made(books, first)]
    assert written(books, first, second) == [True, False]
    kept = (201, "made", respond(books, first))
    assert stored(books) == [("k", "hash", *kept)]
    third, fourth = keyed(owner, "13", "k"), keyed(owner, "14", "k", body_hash=body)
    assert request(books.owner, third, fourth) == [replayed(third, *kept)]


def test_keys_are_one_only_where_all_of_their_addresses_are(books):
    owner = open_wallet(books, FULL)
    other = open_wallet(books, FULL, organisation=make_organisation(books.owner))
    orders = [
        keyed(owner, "11", "k"),
        keyed(other, "12", "k"),
        keyed(owner, "13", "k", method="PUT"),
        keyed(owner, "14", "k", path="/v"),
        keyed(owner, "15", "l"),
        order(owner, "16"),
        order(owner, "17"),
    ]
    found = request(books.owner, *orders)
    assert sorted(found) == sorted(made(books, each) for each in orders)


def test_the_key_of_a_request_that_is_left_is_free_again(books):
    owner = open_wallet(books, FULL)
    keep(books, "old", age="25 hours")
    low, old = keyed(owner, "9", "low"), keyed(owner, "9", "old", body_hash="another")
    done = keyed(owner, "11", "done")
    assert request(books.owner, low, old, done) == [made(books, done)]
    assert stored(books) == [("done", "hash", 201, "made", respond(books, done))]
    once_more = [keyed(owner, "12", key, body_hash="third") for key in ("low", "old")]
    assert sorted(request(books.owner, *once_more)) == sorted(
        made(books, each) for each in once_more
    )


def test_a_key_that_ran_out_is_one_never_seen(books):
    owner = open_wallet(books, FULL)
    keep(books, "old", age="24 hours 1 second")
    kept = keep(books, "young", age="23 hours 59 minutes")
    old, young = keyed(owner, "11", "old", body_hash="another"), keyed(owner, "12", "young")
    found = request(books.owner, old, young)
    assert sorted(found) == sorted([made(books, old), replayed(young, *kept)])
    assert stored(books)[0] == ("old", "another", 201, "made", respond(books, old))


def test_a_key_with_another_body_refuses_all_of_a_set(books):
    owner = open_wallet(books, FULL)
    keep(books, "seen")
    orders = [keyed(owner, "11", "seen", body_hash="another"), keyed(owner, "12", "free")]
    before = stored(books)
    for asked in (orders, orders[:1]):
        with pytest.raises(psycopg.Error) as refused, books.owner.transaction():
            request(books.owner, *asked)
        assert refused.value.sqlstate == "XI422"
        assert (written(books, *orders), stored(books)) == ([False, False], before)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.one_in(2)
def test_a_key_claimed_by_another_request_is_waited_for_as_long_as_allowed(count):
    """By a set and by one alone; the time in which accounts are waited for is another."""
    with session("owner") as first, session("owner") as second:
        stranger = Owner(make_organisation(first), None, {})
        first.commit()
        first.execute(
            "SELECT claim_idempotency_key(%s, 'POST', '/w', 'k', 'hash', 1000, '1 day')",
            [stranger.organisation],
        )
        asked = [keyed(stranger, "10", key) for key in "ak"[-count:]]
        second.execute("SET LOCAL statement_timeout = '20s'")
        begins = time.monotonic()
        with pytest.raises(psycopg.errors.LockNotAvailable):
            request(second, *asked, wait_ms=1500)
        assert 1.4 < time.monotonic() - begins < 15
        first.rollback()
        second.rollback()
