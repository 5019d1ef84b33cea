"""Which withdrawal orders are done, and what is written of them, row by row."""

from decimal import Decimal
from typing import Any

import pytest

from tests.environment.sql_functions import Records
from tests.factories.plain_sql import Books, make_organisation
from tests.wallets.ledger.withdrawal_orders import (
    TEXTS,
    Owner,
    open_wallet,
    order,
    run,
    store_settings,
)

EMPTY = {"KES available": "0", "KES escrow": "0"}


@pytest.fixture(autouse=True)
def settings_rows(books: Books) -> None:
    store_settings(books)


def hold(books: Books, *orders: dict[str, Any]) -> dict[Any, str]:
    """The answers to the orders that are done, by the withdrawals."""
    return dict(
        run(books.owner, "request_withdrawals_execute", Records("withdrawal_order", list(orders)))
    )


def done(books: Books, *orders: dict[str, Any]) -> list[bool]:
    """Which of the orders would be done together; nothing stays."""
    with books.owner.transaction(force_rollback=True):
        held = hold(books, *orders)
        books.owner.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert held.keys() <= {each["withdrawal"] for each in orders}
    return [each["withdrawal"] in held for each in orders]


def three_orders(books: Books) -> tuple[list[dict[str, Any]], list[Owner]]:
    """Orders of a member in two currencies and of another organisation, with all else as usual."""
    full = {f"{asset} {kind}": "50" for asset in ("KES", "NGN") for kind in ("available", "escrow")}
    ada = open_wallet(books, full, member=True)
    other = open_wallet(books, full, organisation=make_organisation(books.owner))
    orders = [
        order(ada, "13"),
        order(ada, "20", "NGN", provider_bank_id=8, name_resolved=False),
        order(other, "20"),
    ]
    return orders, [ada, ada, other]


def by_id(orders: list[dict[str, Any]], name: str, *columns: str) -> list[tuple[Any, ...]]:
    """The orders' values, in the order of the id called that."""
    return sorted(tuple(each[column] for column in (name, *columns)) for each in orders)


def test_each_order_moves_its_own_amount_from_available_to_escrow(books):
    orders, owners = three_orders(books)
    hold(books, *orders)
    books.owner.execute("SET CONSTRAINTS ALL IMMEDIATE")
    ids = [each["transfer"] for each in orders]
    found = books.rows(
        "SELECT id, subject_id, actor, memo, kind, reference FROM wallets_transfer"
        " WHERE id = ANY (%s) ORDER BY id", [ids],
    )  # fmt: skip
    assert found == [
        (*each, "withdrawal_hold", f"withdrawal:{each[1]}:hold")
        for each in by_id(orders, "transfer", "withdrawal", "actor", "reference")
    ]
    entries = books.rows(
        "SELECT transfer_id, account_id, asset_id, amount, balance_after FROM wallets_entry"
        " WHERE transfer_id = ANY (%s)", [ids],
    )  # fmt: skip
    expected = set()
    for each, owner in zip(orders, owners, strict=True):
        asset, amount = each["currency"], Decimal(each["amount"])
        for kind, change in (("available", -amount), ("escrow", amount)):
            account = owner.accounts[f"{asset} {kind}"]
            expected.add((each["transfer"], account, asset, change, 50 + change))
    assert (len(entries), set(entries)) == (6, expected)


def test_each_order_writes_a_withdrawal_with_the_settings_of_its_currency(books):
    orders, owners = three_orders(books)
    hold(books, *orders)
    # Fee, disbursed, 13 / 8 = 1.625 and 20 / 8 in USD, internal fee and its type, approvals.
    terms: list[tuple[Any, ...]] = [
        (3, 10, Decimal("1.62"), 1, "FLAT", 1),
        (Decimal("12.5"), Decimal("7.5"), None, 0, "NONE", 1),
        (3, 17, Decimal("2.5"), 1, "FLAT", 2),
    ]
    expected = [
        (
            each["withdrawal"], each["organisation"], each["member"], each["reference"],
            each["currency"], Decimal(each["amount"]), each["bank"], each["actor"],
            owner.accounts[f"{each['currency']} escrow"], *of_it, "Pending", 1, "", "", True, True,
        )
        for each, owner, of_it in zip(orders, owners, terms, strict=True)
    ]  # fmt: skip
    found = books.rows(
        "SELECT id, organisation_id, member_id, reference, currency_id, amount, bank_id,"
        " requested_by, escrow_account_id, fee, disburse_amount, gusd_amount, internal_fee,"
        " internal_fee_type, approvals_needed, status, version, actioned_by, reason,"
        " created_at = now(), updated_at = now() FROM wallets_withdrawal"
        " WHERE id = ANY (%s) ORDER BY id", [[each["withdrawal"] for each in orders]],
    )  # fmt: skip
    assert found == expected


def test_each_order_writes_its_own_bank_record(books):
    orders, _ = three_orders(books)
    hold(books, *orders)
    texts = [name for name in TEXTS if name != "reference"]
    columns = [
        name.removeprefix("bank_") if name in {"bank_name", "bank_code"} else name for name in texts
    ]
    found = books.rows(
        "SELECT id, organisation_id, currency_id, provider_bank_id, name_resolved,"
        f" {', '.join(columns)}, created_at = now() FROM wallets_bankaccount"
        " WHERE id = ANY (%s) ORDER BY id", [[each["bank"] for each in orders]],
    )  # fmt: skip
    names = ("organisation", "currency", "provider_bank_id", "name_resolved", *texts)
    assert found == [(*row, True) for row in by_id(orders, "bank", *names)]


def test_each_order_returns_and_publishes_its_own_documents(books):
    orders, _ = three_orders(books)
    responses = hold(books, *orders)
    documents = {
        row[0]: row[1:]
        for row in books.rows(
            "SELECT w.id, w.document, b.document,"
            " member_json(w.member_id, w.organisation_id)"
            " FROM wallets_withdrawal w JOIN wallets_bankaccount b ON b.id = w.bank_id"
            " WHERE w.id = ANY (%s)", [[each["withdrawal"] for each in orders]],
        )
    }  # fmt: skip
    assert responses == {
        each: f'{{"withdrawalRequest":{withdrawal},"bank":{bank}}}'
        for each, (withdrawal, bank, _) in documents.items()
    }
    events = books.rows(
        "SELECT id, organisation_id, subject_id, type, body::json ->> 'data' FROM exchange_event"
        " WHERE subject_id = ANY (%s) ORDER BY id", [list(documents)],
    )  # fmt: skip
    assert events == [
        (
            *each, "withdrawal.created",
            books.value("SELECT withdrawal_event_data(%s, NULL, %s, %s)", documents[each[2]]),
        )
        for each in by_id(orders, "event", "organisation", "withdrawal")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("currency", "amount", "taken"),
    [
        ("KES", "9.99999999", False), ("KES", "10", True), ("KES", "10.000000001", False),
        ("KES", "10.00000001", True), ("KES", "50", True), ("KES", "50.00000001", False),
        ("NGN", "12.49999999", False), ("NGN", "12.5", False), ("NGN", "12.50000001", True),
    ],
)  # fmt: skip
def test_an_order_is_from_the_minimum_on_above_the_fee_in_eight_decimals_and_paid_for(
    books, currency, amount, taken
):
    balances = {f"{currency} available": "50", f"{currency} escrow": "0"}
    owner = open_wallet(books, balances)
    assert done(books, order(owner, amount, currency)) == [taken]


def test_a_wallet_pays_in_the_order_of_ids_until_one_is_too_much(books):
    owner = open_wallet(books, {**EMPTY, "KES available": "30"})
    rich = open_wallet(books, {**EMPTY, "KES available": "900"}, member=True)
    other = order(rich, "500")
    for amounts, taken in (
        (["10", "20"], [True, True]),
        (["10", "20.00000001"], [True, False]),
        (["10", "21", "10"], [True, False, False]),
        # What the wallet could not pay by itself takes nothing from those after it.
        (["31", "10"], [False, True]),
        (["10", "30.00000001", "20"], [True, False, True]),
        (["10", "30", "20"], [True, False, False]),
        # Refused for another reason, it takes nothing from the others.
        (["10", "9", "20"], [True, False, True]),
        (["10", "19.000000001", "20"], [True, False, True]),
    ):
        orders = [order(owner, amount) for amount in amounts]
        assert (amounts, done(books, *reversed(orders), other)) == (amounts, [*taken[::-1], True])


def test_an_order_needs_its_member_and_both_accounts(books):
    full = {"KES available": "50", "KES escrow": "0"}
    member, own = open_wallet(books, full, member=True), open_wallet(books, full)
    elsewhere = open_wallet(books, full, organisation=make_organisation(books.owner), member=True)
    stranger = Owner(books.organisation, elsewhere.member, {})
    no_escrow = open_wallet(books, {"KES available": "50"}, member=True)
    no_available = open_wallet(books, {"KES escrow": "50"}, member=True)
    owners = [member, own, elsewhere, stranger, no_escrow, no_available]
    expected = [True, True, True, False, False, False]
    assert [done(books, order(owner, "10"))[0] for owner in owners] == expected
    assert done(books, *(order(owner, "10") for owner in owners)) == expected
    assert done(books, order(own, "10", "NGN")) == [False]
    assert done(books) == []
