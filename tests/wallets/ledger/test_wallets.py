"""What an owner holds: which accounts count, whose, and until when."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from exchange.core.ids import uuid7
from exchange.tokens.models import Token
from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from tests.factories.tokens import make_token
from wallets.banks.models import BankAccount
from wallets.deposits.models import Deposit
from wallets.ledger.models import Account, AccountKind, Asset, Entry, Transfer
from wallets.ledger.selectors.holdings import held_tokens, holding_documents
from wallets.ledger.selectors.transactions import transaction_documents
from wallets.ledger.selectors.wallets import (
    available_balance,
    balance_before,
    statement,
    wallet_balances,
)
from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.withdrawals import organisation_withdrawals, read_withdrawal

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


def put_account(cursor: Any, owner: UUID, asset: str, kind: str, balance: int | str) -> UUID:
    """An account of an organisation."""
    row = insert_row(
        cursor, Account, organisation_id=owner, asset_id=asset, kind=kind, balance=Decimal(balance)
    )
    found: UUID = row["id"]
    return found


def put_entry(cursor: Any, account: UUID, amount: int | str, **transfer: Any) -> UUID:
    """A transfer with one entry."""
    moved = insert_row(cursor, Transfer, **{"kind": "deposit", "created_at": NOON} | transfer)
    asset = Account.objects.values_list("asset_id", flat=True).get(pk=account)
    row = insert_row(
        cursor,
        Entry,
        transfer_id=moved["id"],
        account_id=account,
        asset_id=asset,
        amount=Decimal(amount),
    )
    found: UUID = row["id"]
    return found


def test_a_wallet_has_all_that_its_owner_has_and_owes():
    owner, stranger = uuid7(), uuid7()
    with without_guards() as cursor:
        for kind, balance in (
            ("available", 1),
            ("escrow", 2),
            ("reserved", "4.5"),
            ("lien", 8),
            ("uncleared", 64),
            ("receivable", -128),
        ):
            put_account(cursor, owner, "KES", kind, balance)
        put_account(cursor, owner, "NGN", "escrow", 16)
        put_account(cursor, stranger, "KES", "available", 32)
    rows = {row["currency"]: row for row in wallet_balances(owner)}
    assert [*rows] == ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"]
    assert rows["KES"] == {
        "currency": "KES",
        "available": 1,
        "escrow": 2,
        "reserved": Decimal("4.5"),
        "lien": 8,
        "uncleared": 64,
        "receivable": 128,
        "total": Decimal("-48.5"),
    }
    assert (rows["NGN"]["available"], rows["NGN"]["total"]) == (Decimal(0), Decimal(16))
    assert rows["GHS"]["total"] == 0
    spendable = {code: available_balance(owner, code) for code in ("KES", "NGN", "GHS")}
    assert spendable == {"KES": 1, "NGN": 0, "GHS": 0}


def test_the_balance_before_a_moment_is_the_sum_of_earlier_entries_of_the_account():
    with without_guards() as cursor:
        account, other = (
            put_account(cursor, uuid7(), "KES", AccountKind.AVAILABLE, 0) for _ in range(2)
        )
        for amount, moment in ((1, NOON - 9 * MOMENT), (2, NOON - MOMENT), (4, NOON)):
            put_entry(cursor, account, amount, created_at=moment)
        put_entry(cursor, other, 8, created_at=NOON - MOMENT)
    assert balance_before(account, NOON) == 3
    assert balance_before(account, NOON - 9 * MOMENT) == 0
    assert balance_before(account, None) == 0


def test_a_statement_holds_the_entries_of_an_owners_money_the_newest_first():
    owner, token = uuid7(), make_token()
    with without_guards() as cursor:
        mine = [
            put_entry(cursor, put_account(cursor, owner, "KES", kind, 0), 1)
            for kind in ("available", "escrow", "reserved")
        ]
        for someone, asset, kind in (
            (owner, "KES", "raise"),
            (owner, str(token.pk), "available"),
            (uuid7(), "KES", "available"),
        ):
            put_entry(cursor, put_account(cursor, someone, asset, kind, 0), 1)
    assert list(statement(owner, Entry.objects.order_by("-id"))) == mine[::-1]
    assert list(statement(owner, Entry.objects.order_by("amount", "id"))) == mine
    assert list(statement(uuid7(), Entry.objects.order_by("-id"))) == []


def test_entries_carry_the_reference_of_their_subject_in_the_requested_order():
    with without_guards() as cursor:
        account = put_account(cursor, uuid7(), "KES", AccountKind.AVAILABLE, 0)
        withdrawal, deposit = insert_row(cursor, Withdrawal), insert_row(cursor, Deposit)
        entries = [
            put_entry(cursor, account, 1, subject_id=subject, reference=f"transfer {number}")
            for number, subject in enumerate((withdrawal["id"], deposit["id"], uuid7(), None))
        ]
        put_entry(cursor, account, 1)
    wanted = [withdrawal["reference"], deposit["reference"], "transfer 2", "transfer 3"]
    for step in (1, -1):
        message = [
            json.loads(text)
            for text in transaction_documents([Withdrawal, Deposit], entries[::step])
        ]
        assert [row["_id"] for row in message] == [str(entry) for entry in entries[::step]]
        assert [row["reference"] for row in message] == wanted[::step]


def test_a_withdrawal_is_found_by_its_id_within_its_organisation_only():
    owner, stranger = uuid7(), uuid7()
    with without_guards() as cursor:
        first, second, foreign = (
            insert_row(
                cursor,
                Withdrawal,
                organisation_id=someone,
                bank_id=insert_row(cursor, BankAccount, document='{"name":"b"}')["id"],
                document=f'{{"n":{number}}}',
                reason="why",
            )
            for number, someone in enumerate((owner, owner, stranger))
        )
    assert {row.pk for row in organisation_withdrawals(owner)} == {first["id"], second["id"]}
    for row in (first, second):
        document = f'{row["document"][:-1]},"bank_details":{{"name":"b"}}}}'
        assert read_withdrawal(owner, row["id"]) == (document, "why")
    for missing in (foreign["id"], uuid7()):
        with pytest.raises(WithdrawalNotFound):
            read_withdrawal(owner, missing)


def test_tokens_are_held_in_any_state_but_unsold_and_as_long_as_there_are_units():
    owner = uuid7()
    cases: list[tuple[str, str, bool]] = [
        ("available", "1", True),
        ("reserved", "0.00000001", True),
        ("lien", "5", True),
        ("unsold", "5", False),
        ("available", "0", False),
    ]
    held: list[Token] = []
    with without_guards() as cursor:
        for kind, balance, is_held in cases:
            token = make_token()
            put_account(cursor, owner, str(token.pk), kind, balance)
            if is_held:
                held.append(token)
        put_account(cursor, uuid7(), str(make_token().pk), "available", 5)
        put_account(cursor, owner, "KES", "available", 5)
    assert {*held_tokens(owner)} == {*held}
    assert Asset.objects.filter(token__in=held).count() == 3
    wanted = [token.pk for token in held]
    for step in (1, -1):
        message = [json.loads(text) for text in holding_documents(owner, wanted[::step])]
        assert [row["symbol"] for row in message] == [token.symbol for token in held[::step]]
