"""What the functions of withdrawal requests refuse, answer and keep, and which rows they lock."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from exchange.core.ids import uuid7
from tests.environment.database import session
from tests.environment.sql_functions import Record, expression
from tests.factories.bare_rows import as_json
from tests.factories.plain_sql import Books, make_organisation
from tests.wallets.ledger.withdrawal_orders import (
    know_figures,
    open_wallet,
    order,
    request,
    request_all,
)

KEYED = {"method": "POST", "path": "/w", "body_hash": "hash"}


@pytest.fixture(autouse=True)
def figures(books: Books) -> None:
    know_figures(books)


def refusal(books: Books, statement: str, values: Any) -> Any:
    """Code, message and detail of what refuses the statement; None if nothing does."""
    try:
        with books.owner.transaction(force_rollback=True):
            books.owner.execute(statement, values)
    except psycopg.Error as error:
        return error.sqlstate, error.diag.message_primary, error.diag.message_detail
    return None


def refused(books: Books, asked: dict[str, Any]) -> Any:
    """What `refuse_withdrawal` says of the order: message and detail."""
    text, values = expression("refuse_withdrawal", Record("withdrawal_order", asked))
    found = refusal(books, f"SELECT {text}", values)
    if found is None:
        return None
    assert found[0] == "XW400"
    return found[1:]


def test_an_order_is_refused_for_the_first_reason_at_its_edge(books):
    balances = {"KES available": "50.5", "NGN available": "500"}
    ada, own = open_wallet(books, balances, member=True), open_wallet(books, balances)
    too_little = ("insufficient_balance", '{"available":50.5}')
    for asked, expected in (
        (("50.5", "KES"), None),
        (("50.50000001", "KES"), too_little),
        (("10", "KES"), None),
        (("9.99999999", "KES"), ("below_minimum", '{"minimum":10}')),
        (("0", "KES"), ("below_minimum", '{"minimum":10}')),
        (("12.50000001", "NGN"), None),
        (("12.5", "NGN"), ("fee_exceeds_amount", '{"fee":12.5}')),
        (("4", "NGN"), ("below_minimum", '{"minimum":5}')),
        (("1", "GHS"), ("insufficient_balance", '{"available":0}')),
    ):
        for owner in (ada, own):
            assert (asked, refused(books, order(owner, *asked))) == (asked, expected)


def test_only_a_member_of_the_organisation_is_found(books):
    balances = {"KES available": "50"}
    stranger = open_wallet(
        books, balances, organisation=make_organisation(books.owner), member=True
    )
    unknown = ("user_not_found", "{}")
    assert refused(books, order(stranger, "10")) is None
    for member in (stranger.member, uuid7()):
        for amount in ("10", "99"):
            asked = order(stranger, amount, organisation=books.organisation, member=member)
            assert refused(books, asked) == unknown


def test_what_an_owner_has_is_what_is_available_to_it_in_the_currency(books):
    # Whichever row is found first.
    poor_first = {"KES escrow": "0", "NGN available": "0", "KES available": "50"}
    rich_first = {"KES escrow": "900", "NGN available": "900", "KES available": "20"}
    for balances, available in ((poor_first, 50), (rich_first, 20)):
        for turned in (balances, dict(reversed(balances.items()))):
            owner = open_wallet(books, turned, member=True)
            assert refused(books, order(owner, f"{available}")) is None
            expected = ("insufficient_balance", f'{{"available":{available}}}')
            assert refused(books, order(owner, f"{available}.1")) == expected


def stored(books: Books) -> list[Any]:
    """The idempotency records of the organisation."""
    return books.rows(
        "SELECT key, body_hash, status_code, message, data FROM exchange_idempotencyrecord"
        " WHERE organisation_id = %s ORDER BY key", [books.organisation],
    )  # fmt: skip


def answer(books: Books, asked: dict[str, Any]) -> str:
    """The answer that belongs to the withdrawal of the order."""
    found: str = books.value(
        "SELECT '{\"withdrawalRequest\":' || w.document || ',\"bank\":' || b.document || '}'"
        " FROM wallets_withdrawal w JOIN wallets_bankaccount b ON b.id = w.bank_id"
        " WHERE w.id = %s", [asked["withdrawal"]],
    )  # fmt: skip
    return found


def test_a_request_is_answered_and_replayed_under_its_key_only(books):
    owner = open_wallet(books, {"KES available": "50", "KES escrow": "0"})
    one = order(owner, "10")
    assert request(books.owner, one) == (False, 201, "made", answer(books, one))
    assert stored(books) == []
    keyed = order(owner, "10", **KEYED, key="k")
    assert request(books.owner, keyed) == (False, 201, "made", answer(books, keyed))
    assert stored(books) == [("k", "hash", 201, "made", answer(books, keyed))]
    again = order(owner, "10", **KEYED, key="k")
    assert request(books.owner, again) == (True, 201, "made", answer(books, keyed))
    found = books.rows("SELECT balance FROM wallets_account WHERE owner_id = %s ORDER BY balance",
                       [owner.organisation])  # fmt: skip
    assert found == [(20,), (30,)]


def test_the_first_request_of_a_wallet_opens_its_escrow_account(books):
    for member in (True, False):
        owner = open_wallet(books, {"KES available": "50"}, member=member)
        asked = order(owner, "10")
        assert request(books.owner, asked)[:3] == (False, 201, "made")
        opened = books.rows(
            "SELECT asset_id, kind, organisation_id, member_id, balance FROM wallets_account"
            " WHERE id = %s", [asked["new_escrow"]],
        )  # fmt: skip
        assert opened == [("KES", "escrow", owner.organisation, owner.member, 10)]


def test_a_refused_request_says_why(books):
    owner = open_wallet(books, {"KES available": "50"})
    statement = "SELECT request_withdrawal(%s, 1000, '1 day', 201, 'made')"
    expected = ("XW400", "insufficient_balance", '{"available":50}')
    assert refusal(books, statement, [as_json(order(owner, "51"))]) == expected


def test_of_requests_together_those_are_done_whose_keys_are_free(books):
    owner = open_wallet(books, {"KES available": "500", "KES escrow": "0"})
    seen = order(owner, "10", **KEYED, key="seen")
    assert request_all(books.owner, seen) == [(seen["withdrawal"], answer(books, seen))]
    records = [("seen", "hash", 201, "made", answer(books, seen))]
    assert stored(books) == records
    plain = order(owner, "11")
    assert request_all(books.owner, plain) == [(plain["withdrawal"], answer(books, plain))]
    assert request_all(books.owner, order(owner, "12", **KEYED, key="seen")) == []
    assert stored(books) == records
    free, other = (order(owner, "13", **KEYED, key=key) for key in ("free", "other"))
    refused_one = order(owner, "9", **KEYED, key="low")
    bare = order(owner, "14")
    again = order(owner, "15", **KEYED, key="seen")
    found = request_all(books.owner, again, bare, refused_one, free, other)
    assert sorted(found) == sorted(
        (each["withdrawal"], answer(books, each)) for each in (bare, free, other)
    )
    more = [(each["key"], "hash", 201, "made", answer(books, each)) for each in (free, other)]
    assert stored(books) == sorted([*records, *more])


def test_requests_together_leave_the_time_to_wait_as_it_was():
    with session("owner") as connection:
        connection.execute("SET LOCAL lock_timeout = '7s'")
        assert request_all(connection) == []
        assert connection.execute("SHOW lock_timeout").fetchone() == ("7s",)
        connection.commit()
        assert connection.execute("SHOW lock_timeout").fetchone() == ("0",)
