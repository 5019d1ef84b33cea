"""Reads of the ledger: what a page adds up, what a transfer moved, and how transfers are found."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from exchange.core.ids import uuid7
from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from tests.factories.tokens import make_token
from wallets.deposits.models import Deposit
from wallets.deposits.selectors import find_deposit_ids
from wallets.ledger.models import Account, AccountKind, BooksProof, Entry, Transfer
from wallets.ledger.posting import system_account
from wallets.ledger.selectors import ledger
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.withdrawals import find_by_reference

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def accounts() -> list[Account]:
    """Clearing accounts of two currencies."""
    return [
        Account.objects.get(pk=system_account(code, AccountKind.CLEARING))
        for code in ("KES", "NGN")
    ]


def put_entry(cursor: Any, account: Account, amount: int | str, **more: Any) -> UUID:
    row = insert_row(
        cursor,
        Entry,
        account_id=account.pk,
        asset_id=account.asset_id,
        amount=Decimal(amount),
        **more,
    )
    found: UUID = row["id"]
    return found


def prove(ran_at: datetime, **totals: Any) -> BooksProof:
    return BooksProof.objects.create(
        ran_at=ran_at, passed=True, findings=[], milliseconds=1, **totals
    )


def test_the_last_totals_are_those_of_the_newest_proof_with_totals():
    assert ledger.last_totals() is None
    for hours in (0, 2, 1):
        prove(NOON + hours * HOUR, totals={}, totals_before=uuid7())
    prove(NOON + 3 * HOUR)
    found = ledger.last_totals()
    assert found is not None
    assert found.ran_at == NOON + 2 * HOUR


def test_a_total_is_the_last_proofs_total_and_all_later_entries(accounts):
    kes, ngn = accounts
    with without_guards() as cursor:
        put_entry(cursor, kes, -1)
        mark = put_entry(cursor, kes, -2)
        put_entry(cursor, kes, "-4.5")
    totals = ledger.system_balances(accounts)
    assert [(totals[one.pk].amount, totals[one.pk].proof) for one in accounts] == [
        (Decimal("-7.5"), None),
        (Decimal(0), None),
    ]
    assert all(total.complete for total in totals.values())
    proof = prove(NOON, totals={str(kes.pk): "-100"}, totals_before=mark)
    totals = ledger.system_balances(accounts)
    assert [totals[one.pk].amount for one in accounts] == [Decimal("-106.5"), 0]
    assert {total.proof for total in totals.values()} == {proof}
    assert {*ledger.system_balances([ngn])} == {ngn.pk}
    with CaptureQueriesContext(connection) as made:
        assert ledger.system_balances([]) == {}
    assert len(made) == 0


def test_a_page_adds_up_as_many_entries_as_its_bound_and_no_more(accounts, monkeypatch):
    kes, ngn = accounts
    with without_guards() as cursor:
        for account in (kes, kes, ngn):
            put_entry(cursor, account, 1)
    for bound, wanted in (
        (3, [ledger.SystemBalance(Decimal(2), None), ledger.SystemBalance(Decimal(1), None)]),
        (2, [ledger.SystemBalance(None, None, complete=False)] * 2),
        (1, [ledger.SystemBalance(None, None, complete=False)] * 2),
    ):
        monkeypatch.setattr(ledger, "MAX_SUMMED_ENTRIES", bound)
        totals = ledger.system_balances(accounts)
        assert [totals[one.pk] for one in accounts] == wanted, bound
        with CaptureQueriesContext(connection) as made:
            ledger.system_balances(accounts)
        # One more shows that there are more.
        assert f"LIMIT {bound + 1})" in made.captured_queries[-1]["sql"]
    monkeypatch.undo()
    with CaptureQueriesContext(connection) as made:
        ledger.system_balances(accounts)
    assert "LIMIT 100001)" in made.captured_queries[-1]["sql"]


def test_a_transfer_moved_what_its_accounts_received_of_each_asset(accounts):
    kes, ngn = accounts
    token = make_token()
    units = Account.objects.filter(asset_id=str(token.pk)).first()
    assert units is not None
    with without_guards() as cursor:
        moved = insert_row(cursor, Transfer, kind="trade")["id"]
        for account, amount in (
            (ngn, "-0.5"), (ngn, "0.3"), (ngn, "0.2"), (kes, "-1"), (kes, "1"), (units, "7"),
        ):  # fmt: skip
            put_entry(cursor, account, amount, transfer_id=moved)
        other = insert_row(cursor, Transfer, kind="deposit")["id"]
        put_entry(cursor, kes, 9, transfer_id=other)
    found = ledger.amounts_moved([Transfer.objects.get(pk=moved)])
    assert {*found} == {moved}
    message = {asset.pk: amount for amount, asset in found[moved]}
    assert message == {"KES": 1, "NGN": Decimal("0.5"), str(token.pk): 7}
    assert [asset.pk for _, asset in found[moved]] == sorted(message)
    both = ledger.amounts_moved(Transfer.objects.filter(pk__in=[moved, other]))
    assert [(amount, asset.pk) for amount, asset in both[other]] == [(Decimal(9), "KES")]


def test_transfers_are_called_by_their_reference_or_that_of_what_they_are_about():
    with without_guards() as cursor:
        withdrawal = insert_row(cursor, Withdrawal, reference="payout_a")["id"]
        insert_row(cursor, Withdrawal, reference="payout_b")
        deposit = insert_row(cursor, Deposit, reference="in-1")["id"]
        insert_row(cursor, Deposit, reference="in-2")
        made = {
            name: insert_row(
                cursor, Transfer, kind="deposit", reference=name, subject_id=subject
            )["id"]
            for name, subject in (
                ("hold", withdrawal), ("settle", withdrawal), ("deposit", deposit), ("alone", None),
            )
        }  # fmt: skip
    for term, wanted in (
        ("payout_a", {"hold", "settle"}),
        ("in-1", {"deposit"}),
        ("payout_b", set()),
        ("alone", {"alone"}),
        ("settle", {"settle"}),
        ("nothing", set()),
    ):
        subjects = [*find_by_reference(term), *find_deposit_ids(term)]
        found = {transfer.pk for transfer in ledger.find_transfers(term, subjects)}
        assert found == {made[name] for name in wanted}, term
