"""What the functions of withdrawal requests refuse, answer and keep, and which rows they lock."""

from itertools import product
from typing import Any

import psycopg
import pytest

from exchange.core.ids import uuid7
from tests.environment.database import session
from tests.environment.sql_functions import Record, expression
from tests.factories.bare_rows import as_json
from tests.factories.plain_sql import Books, make_organisation
from tests.wallets.ledger.withdrawal_orders import (
    KEYED,
    SETTINGS,
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

REQUEST = "SELECT request_withdrawals(%s, 1000, '1 day', 201, 'made')"


@pytest.fixture(autouse=True)
def settings_rows(books: Books) -> None:
    store_settings(books)


def refusal(books: Books, statement: str, values: Any) -> Any:
    """Code, message and detail of what refuses the statement; None if nothing does."""
    try:
        with books.owner.transaction(force_rollback=True):
            books.owner.execute(statement, values)
    except psycopg.Error as error:
        return error.sqlstate, error.diag.message_primary, error.diag.message_detail
    return None


def said(found: Any) -> Any:
    """Message and detail of a refusal."""
    assert found is None or found[0] == "XW400"
    return found and found[1:]


def refused(books: Books, asked: dict[str, Any]) -> Any:
    """What `reject_withdrawal` says of the order under FIGURES."""
    text, values = expression(
        "reject_withdrawal",
        Record("withdrawal_order", asked),
        SETTINGS.get(f"MINIMUM_WITHDRAWAL_{asked['currency']}", "0"),
        SETTINGS.get(f"{asked['currency']}_WITHDRAWAL_FEE", "0"),
    )
    return said(refusal(books, f"SELECT {text}", values))


def checked(books: Books, asked: dict[str, Any]) -> Any:
    """What `check_withdrawal` says of the order."""
    return said(refusal(books, "SELECT check_withdrawal(%s)", [as_json([asked])]))


@pytest.mark.parametrize(
    ("settings_rows", "expected"),
    [
        # Amount, balance, minimum and fee.
        (("50", "50", "10", "3"), None),
        (("50.00000001", "50", "10", "3"), "insufficient_balance"),
        (("10", "50", "10", "3"), None),
        (("9.99999999", "50", "10", "3"), "below_minimum"),
        (("3.00000001", "50", "2", "3"), None),
        (("3", "50", "2", "3"), "fee_exceeds_amount"),
        # The first of several.
        (("2", "1.9", "3", "4"), "insufficient_balance"),
        (("2", "2", "3", "4"), "below_minimum"),
        (("2", "2", "2", "4"), "fee_exceeds_amount"),
        # No account has nothing.
        (("0.00000001", None, "0", "0"), "insufficient_balance"),
        (("0", None, "0.00000001", "0"), "below_minimum"),
        (("0", None, "0", "0"), "fee_exceeds_amount"),
        # What is not known is not asked.
        (("2", "2", None, "4"), "fee_exceeds_amount"),
        (("2", "2", "3", None), "below_minimum"),
        (("2", "2", "2", None), None),
        (("2", "2", None, None), None),
        (("2.1", "2", None, None), "insufficient_balance"),
    ],
)
def test_an_amount_is_refused_by_the_first_rule_at_its_edge(books, settings_rows, expected):
    amount, balance, minimum, fee = settings_rows
    for taken, block in product((False, True), (None, "account_frozen")):
        found = books.value(
            "SELECT find_withdrawal_rejection("
            "%s::numeric, %s::numeric, %s::boolean, %s, %s::numeric, %s::numeric)",
            [amount, balance, taken, block, minimum, fee],
        )
        after_balance = "client_reference_taken" if taken else block
        first = after_balance and expected != "insufficient_balance"
        assert found == (after_balance if first else expected)


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


def test_an_owners_funds_are_its_available_balance_in_the_currency(books):
    # Whichever row is found first.
    poor_first = {"KES escrow": "0", "NGN available": "0", "KES available": "50"}
    rich_first = {"KES escrow": "900", "NGN available": "900", "KES available": "20"}
    for balances, available in ((poor_first, 50), (rich_first, 20)):
        for turned in (balances, dict(reversed(balances.items()))):
            owner = open_wallet(books, turned, member=True)
            assert refused(books, order(owner, f"{available}")) is None
            expected = ("insufficient_balance", f'{{"available":{available}}}')
            assert refused(books, order(owner, f"{available}.1")) == expected


def test_a_request_stores_its_response_under_its_key_only(books):
    owner = open_wallet(books, {"KES available": "50", "KES escrow": "0"})
    one = order(owner, "10")
    assert request(books.owner, one) == [made(books, one)]
    assert stored(books) == []
    keyed = order(owner, "10", **KEYED, key="k")
    assert request(books.owner, keyed) == [made(books, keyed)]
    kept = (201, "made", respond(books, keyed))
    assert stored(books) == [("k", "hash", *kept)]
    again = order(owner, "10", **KEYED, key="k")
    assert request(books.owner, again) == [replayed(again, *kept)]
    found = books.rows("SELECT balance FROM wallets_account WHERE owner_id = %s ORDER BY balance",
                       [owner.organisation])  # fmt: skip
    assert found == [(20,), (30,)]


def test_the_first_request_of_a_wallet_opens_its_escrow_account(books):
    for member in (True, False):
        owner = open_wallet(books, {"KES available": "50"}, member=member)
        asked = order(owner, "10")
        assert request(books.owner, asked) == [made(books, asked)]
        opened = books.rows(
            "SELECT asset_id, kind, organisation_id, member_id, balance FROM wallets_account"
            " WHERE id = %s", [asked["new_escrow"]],
        )  # fmt: skip
        assert opened == [("KES", "escrow", owner.organisation, owner.member, 10)]


def test_a_rejected_request_states_why_with_the_settings_of_its_currency(books):
    owner = open_wallet(books, {"KES available": "50", "NGN available": "50", "KES escrow": "0"})
    for asked, code, detail in (
        (("51", "KES"), "insufficient_balance", '{"available":50}'),
        (("9", "KES"), "below_minimum", '{"minimum":10}'),
        (("4", "NGN"), "below_minimum", '{"minimum":5}'),
        (("12.5", "NGN"), "fee_exceeds_amount", '{"fee":12.5}'),
    ):
        given = [as_json([order(owner, *asked)])]
        assert refusal(books, REQUEST, given) == ("XW400", code, detail)
        # Of several each is left, without a word.
        assert request(books.owner, order(owner, *asked), order(owner, *asked)) == []


def test_a_request_together_with_others_opens_no_escrow_account(books):
    new = open_wallet(books, {"KES available": "50"})
    member = open_wallet(books, {"KES available": "50", "KES escrow": "0"}, member=True)
    first, done = order(new, "10"), order(member, "10")
    assert request(books.owner, first, done) == [made(books, done)]
    assert request(books.owner, first, order(new, "11")) == []
    assert request(books.owner, first) == [made(books, first)]


def test_all_rules_but_the_fee_are_checked_before_the_network(books):
    balances = {"KES available": "50.5", "NGN available": "500"}
    ada, own = open_wallet(books, balances, member=True), open_wallet(books, balances)
    stranger = open_wallet(
        books, balances, organisation=make_organisation(books.owner), member=True
    )
    for owner in (ada, own):
        for asked, expected in (
            (("50.5", "KES"), None),
            (("50.50000001", "KES"), ("insufficient_balance", '{"available":50.5}')),
            (("10", "KES"), None),
            (("9.99999999", "KES"), ("below_minimum", '{"minimum":10}')),
            # The fee is 12.5: that is for after the bank.
            (("12.5", "NGN"), None),
            (("5", "NGN"), None),
            (("4.99999999", "NGN"), ("below_minimum", '{"minimum":5}')),
            (("1", "GHS"), ("insufficient_balance", '{"available":0}')),
        ):
            assert (asked, checked(books, order(owner, *asked))) == (asked, expected)
    asked_for = order(stranger, "99", organisation=books.organisation)
    assert checked(books, asked_for) == ("user_not_found", "{}")


def test_requests_together_leave_the_time_to_wait_as_it_was():
    stranger = Owner(uuid7(), None, {})
    for count in (0, 1, 2):
        with session("owner") as connection:
            connection.execute("SET LOCAL lock_timeout = '7s'")
            if count == 1:
                with pytest.raises(psycopg.Error), connection.transaction():
                    request(connection, order(stranger, "10"))
            else:
                assert request(connection, *(order(stranger, "10") for _ in range(count))) == []
            assert connection.execute("SHOW lock_timeout").fetchone() == ("7s",)
            connection.commit()
            assert connection.execute("SHOW lock_timeout").fetchone() == ("0",)
