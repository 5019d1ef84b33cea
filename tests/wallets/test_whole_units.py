"""Money in KES and in UGX, which has no decimals: results fit the currency's smallest unit."""

from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.utils import timezone

from exchange.core.errors import InvalidRequest
from exchange.core.ids import uuid7
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.owner import without_guards
from tests.factories.deposits import Owner, arrive, make_virtual_account, transaction_record
from tests.factories.treasury import make_debt, move, system_balance, terms, treasurer
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    status_of,
    store_bank_list,
)
from tests.wallets.payouts.payout_rows import claim_and_mark, read_payout, transfer_record
from wallets.deposits.models import Deposit
from wallets.payouts.services import settlement
from wallets.providers.base import TransferStatus
from wallets.providers.collection import TransactionStatus
from wallets.receivables.services.write_offs import confirm_write_off, propose_write_off
from wallets.reconciliation.models import (
    LineKind,
    Reconciliation,
    ReconciliationLine,
)
from wallets.reconciliation.services.breaks import apply_report
from wallets.reconciliation.services.differences import ReportLine, provider_charge
from wallets.reconciliation.services.payment_differences import transaction_charge
from wallets.statements import files
from wallets.treasury.services import propose_movement

pytestmark = pytest.mark.django_db

# What the provider charges, and what is booked of it in the currency.
CHARGE = Decimal("26.884")
BOOKED = [("KES", Decimal("26.88")), ("UGX", Decimal(27))]
NO_DECIMALS = "No decimals"


@pytest.mark.parametrize(("currency", "charge"), BOOKED)
def test_a_payout_with_a_fraction_in_its_charge_is_settled(currency, charge):
    store_bank_list()
    wallet = make_member_wallet(50_000, currency=currency)
    withdrawal = make_approved_withdrawal(wallet, 20_000, currency=currency)
    claim_and_mark(withdrawal)
    record = transfer_record(withdrawal, TransferStatus.SUCCESSFUL, fee=CHARGE)
    settlement.apply_record(withdrawal.id, record, actor=SYSTEM)
    assert status_of(withdrawal) == "Completed"
    assert read_payout(withdrawal).provider_fee == charge
    assert system_balance("expenses", currency) == -charge
    assert provider_charge(record, currency) == charge
    assert_books_hold()


@pytest.mark.parametrize(("currency", "charge"), BOOKED)
def test_a_payment_with_a_fraction_in_its_charge_is_credited(currency, charge):
    wallet = make_member_wallet()
    account = make_virtual_account(Owner(wallet.organisation, wallet.member), currency)
    record = transaction_record(
        account.reference, "1500", currency=currency, app_fee=CHARGE, amount_settled=Decimal(1473)
    )
    payment = arrive(record)
    assert (payment.status, record.status) == ("Credited", TransactionStatus.SUCCESSFUL)
    deposit = Deposit.objects.get(owner_id=wallet.owner_id)
    assert (deposit.amount, deposit.provider_fee) == (Decimal(1500), charge)
    assert wallet.balance(currency=currency) == 1500
    assert system_balance("expenses", currency) == -charge
    assert transaction_charge(record) == charge
    assert_books_hold()


def test_only_whole_units_of_a_debt_are_written_off():
    debt = make_debt(1000, currency="UGX")
    person, other = make_staff("write_off_receivable"), make_staff("write_off_receivable")
    before = table_fingerprints()
    with pytest.raises(InvalidRequest) as refused:
        propose_write_off(
            account_id=debt.pk, amount=Decimal("0.5"), explanation="Bankrupt", user=person
        )
    assert (refused.value.message, table_fingerprints()) == (NO_DECIMALS, before)
    proposal = propose_write_off(
        account_id=debt.pk, amount=Decimal(400), explanation="Bankrupt", user=person
    )
    confirm_write_off(write_off_id=proposal.pk, user=other)
    assert_books_hold()


def test_only_whole_units_are_moved_by_the_treasury():
    person = treasurer()
    with assert_no_table_changes():
        for wrong in (
            terms("top_up", "1000.5", currency="UGX"),
            terms("top_up", "1000", currency="UGX", charge=Decimal("0.5")),
        ):
            with pytest.raises(InvalidRequest) as refused:
                propose_movement(terms=wrong, user=person)
            assert refused.value.message == NO_DECIMALS
    move(terms("top_up", 1000, currency="UGX", charge=Decimal(3)))
    assert_books_hold()


@pytest.mark.parametrize(
    ("currency", "change", "is_explained"),
    [
        ("KES", "0.005", True),
        ("KES", "0.006", False),
        ("UGX", "0.5", True),
        ("UGX", "0.6", False),
    ],
)
def test_a_charge_explains_half_of_the_smallest_unit(currency, change, is_explained):
    read_at = timezone.now() - timedelta(days=1)
    report = _report(read_at)
    ReconciliationLine.objects.create(
        report=report, position=0, is_difference=False, kind=LineKind.VARIANCE,
        currency_id=currency, their_amount=Decimal(10),
    )  # fmt: skip
    _pay_with_charge(currency)
    line = ReportLine(LineKind.VARIANCE, currency, their_amount=10 + Decimal(change))
    found = apply_report(_report(timezone.now()), [line], timezone.now())
    assert (len(found) == 1) is is_explained


def test_amounts_of_a_statement_have_the_decimals_of_its_currency():
    for currency, printed in (("KES", "1,500.00"), ("UGX", "1,500")):
        statement = cast(Any, SimpleNamespace(currency=currency))
        assert files._money(statement, Decimal(1500)) == printed


def _report(read_at: Any) -> Reconciliation:
    with without_guards():
        return Reconciliation.objects.create(
            id=uuid7(),
            day=(timezone.now() - timedelta(days=2)).date(),
            status="Differs",
            requested_by=str(SYSTEM),
            requested_by_label=SYSTEM.label,
            created_at=read_at,
            balances_at=read_at,
        )


def _pay_with_charge(currency: str) -> Wallet:
    store_bank_list()
    wallet = make_member_wallet(50_000, currency=currency)
    withdrawal = make_approved_withdrawal(wallet, 20_000, currency=currency)
    claim_and_mark(withdrawal)
    record = transfer_record(withdrawal, TransferStatus.SUCCESSFUL, fee=CHARGE)
    settlement.apply_record(withdrawal.id, record, actor=SYSTEM)
    return wallet
