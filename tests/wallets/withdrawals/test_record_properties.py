"""Names and computed properties of records."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from wallets.ledger.models import Account, BooksProof
from wallets.providers.models import ProviderEvent
from wallets.reconciliation.models import ReconciliationBreak, ReconciliationLine
from wallets.withdrawals.models import Payout, Withdrawal

AT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
OWNER_ID = UUID(int=7)


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (BooksProof(ran_at=AT, passed=True), "2026-03-01 12:30 passed"),
        (BooksProof(ran_at=AT, passed=False), "2026-03-01 12:30 FAILED"),
        (ProviderEvent(reference="payout_x", digest="0123456789abcdef"), "payout_x"),
        (ProviderEvent(digest="0123456789abcdef"), "0123456789ab"),
        (ReconciliationLine(kind="k", reference="payout_x", currency_id="KES"), "k payout_x"),
        (ReconciliationLine(kind="k", currency_id="KES"), "k KES"),
        (ReconciliationLine(kind="k"), "k"),
        (ReconciliationBreak(kind="k", reference="payout_x", currency_id="KES"), "k payout_x"),
        (ReconciliationBreak(kind="k", currency_id="KES"), "k KES"),
        (ReconciliationBreak(kind="k"), "k"),
    ],
)
def test_records_have_readable_names(record: Any, name: str):
    assert str(record) == name


def test_an_account_is_named_by_its_owner_or_the_exchange():
    account = Account(asset_id="KES", kind="escrow")
    account.owner_id = OWNER_ID
    assert str(account) == f"KES escrow of {OWNER_ID}"
    account.owner_id = None
    assert str(account) == "KES escrow of the exchange"


def test_a_settled_payout_that_failed_at_the_provider_is_returned():
    facts = {
        (status, settled): Payout(provider_status=status, settled_at=settled).returned
        for status in ("FAILED", "SUCCESSFUL", "")
        for settled in (AT, None)
    }
    assert {case for case, returned in facts.items() if returned is True} == {("FAILED", AT)}
    assert [*facts.values()].count(False) == 5


def test_a_wallet_belongs_to_a_member_or_an_organisation():
    assert Withdrawal(member_id=OWNER_ID).owner_model == "user"
    assert Withdrawal().owner_model == "organisation"
