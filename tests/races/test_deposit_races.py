"""Races of chargebacks: against withdrawals, credits, clearing, and each other."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest
from django.db import connection, transaction

from exchange.core.errors import StateConflict
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from orders.freezing.services import confirm_reversal
from tests.environment.concurrency import start_call
from tests.environment.processes import wait_until
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.deposits import (
    ACTOR,
    Owner,
    arrive,
    make_checkout,
    make_due,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_staff,
    store_bank_list,
)
from tests.races.test_interleavings import is_waiting_for_row
from wallets.deposits.models import Deposit, DepositReversal, Payment
from wallets.deposits.services.crediting import clear
from wallets.deposits.services.payments import apply_record, report_payment
from wallets.deposits.services.reversals import propose_reversal, reject_reversal
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import Transfer
from wallets.providers.collection import ChargeHint, TransactionRecord, TransactionStatus
from wallets.receivables.services.repayments import amount_owed, collect_due
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db(transaction=True)

DEPOSITS = 8


@pytest.fixture
def wallet(transactional_db: None) -> Wallet:
    store_bank_list()
    member = make_member(make_organisation(), "Ada Obi")
    return Wallet(member.organisation, member)


@pytest.fixture
def checker(transactional_db: None) -> StaffUser:
    return make_staff("reverse_deposit")


def run_at_once(acts: Sequence[Callable[[], object]]) -> None:
    """Run all acts at the same time, each on a connection of its own."""
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> None:
        try:
            barrier.wait(60)
            act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        list(pool.map(run, acts))


def balances(wallet: Wallet) -> tuple[Decimal | int, ...]:
    """Return what is available, in escrow, and owed."""
    return (*wallet.kes, amount_owed(wallet.owner_id, "KES"))


def uncleared(wallet: Wallet) -> Decimal | int:
    return balance_of(wallet.owner_id, "KES", "uncleared")


def account_of(wallet: Wallet) -> str:
    return make_virtual_account(Owner(wallet.organisation, wallet.member), "KES").reference


def propose_reversals(reference: str, count: int) -> list[DepositReversal]:
    """Credit deposits of 1,000 and propose to take them back."""
    maker = make_staff("reverse_deposit")
    payments = [arrive(transaction_record(reference, currency="KES")) for _ in range(count)]
    return [
        propose_reversal(
            deposit_id=Deposit.objects.get(payment=payment).pk, explanation="x", user=maker
        )
        for payment in payments
    ]


def test_a_failure_waits_for_what_holds_the_checkout(wallet):
    """It is recorded then, and not refused because another request locks the checkout."""
    checkout = make_checkout(Owner(wallet.organisation, wallet.member))
    failed = transaction_record(checkout.reference, status=TransactionStatus.FAILED)
    with transaction.atomic():
        Deposit.objects.select_for_update().get(pk=checkout.pk)
        late = start_call(partial(arrive, failed))
        wait_until(is_waiting_for_row, "the failure waits for the checkout")
    late.result(60)
    checkout.refresh_from_db()
    assert checkout.status == "Failed"
    assert Payment.objects.get().status == "Failed"


def test_chargebacks_against_withdrawals_leave_no_wallet_below_zero(wallet, checker):
    def withdraw() -> None:
        with suppress(InsufficientBalance):
            wallet.request(700)

    reversals = [
        partial(confirm_reversal, reversal_id=each.pk, user=checker)
        for each in propose_reversals(account_of(wallet), DEPOSITS)
    ]
    run_at_once([*reversals, *[withdraw] * DEPOSITS])
    available, escrow = wallet.kes
    owed = amount_owed(wallet.owner_id, "KES")
    assert escrow == 700 * Withdrawal.objects.count()
    assert available >= 0
    assert available + escrow == owed
    assert Deposit.objects.filter(status="Reversed").count() == DEPOSITS
    assert_books_hold()
    for withdrawal in Withdrawal.objects.all():
        decisions.cancel(
            withdrawal_id=withdrawal.id, organisation_id=wallet.organisation.id, actor=TESTER
        )
    collect_due(ACTOR)
    assert balances(wallet) == (0, 0, 0)
    assert_books_hold()


@pytest.mark.slow
def test_credits_at_once_repay_a_debt_exactly(wallet, checker):
    reference = account_of(wallet)
    reversals = propose_reversals(reference, 3)
    wallet.request(3000)
    for each in reversals:
        confirm_reversal(reversal_id=each.pk, user=checker)
    assert balances(wallet) == (0, 3000, 3000)
    records = [transaction_record(reference, "500", currency="KES") for _ in range(DEPOSITS)]
    for record in records:
        report_payment(ChargeHint(record.transaction_id, record.tx_ref))
    payments = dict(Payment.objects.values_list("transaction_id", "pk"))
    run_at_once(
        [
            partial(apply_record, payments[int(record.transaction_id)], record, ACTOR)
            for record in records
        ]
    )
    assert balances(wallet) == (1000, 3000, 0)
    assert_books_hold()


def test_one_chargeback_confirmed_by_sixteen_at_once_is_taken_back_once(wallet):
    [reversal] = propose_reversals(account_of(wallet), 1)
    wallet.request(400)

    def confirm(user: StaffUser) -> None:
        with suppress(StateConflict):
            confirm_reversal(reversal_id=reversal.pk, user=user)

    run_at_once([partial(confirm, make_staff("reverse_deposit")) for _ in range(16)])
    assert Transfer.objects.filter(kind="deposit_reverse").count() == 1
    assert balances(wallet) == (0, 400, 400)
    assert_books_hold()


def resting_deposit(wallet: Wallet) -> tuple[Deposit, TransactionRecord]:
    """Credit a card payment that is due to clear."""
    checkout = make_checkout(Owner(wallet.organisation, wallet.member), "1000", "KES")
    record = transaction_record(checkout.reference, currency="KES", payment_type="card")
    arrive(record)
    make_due(checkout)
    return checkout, record


def say_failed(record: TransactionRecord) -> None:
    """Act on the provider's later word that the payment failed."""
    payment = Payment.objects.get(transaction_id=int(record.transaction_id))
    apply_record(payment.pk, replace(record, status=TransactionStatus.FAILED), ACTOR, [])


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.one_in(3)
def test_a_dispute_during_clearing_holds_all_of_the_deposit(wallet, checker, turn):
    """Whichever comes first: nothing of it is available, and nothing is held twice."""
    deposit, record = resting_deposit(wallet)
    acts: list[Callable[[], object]] = [
        partial(say_failed, record),
        partial(clear, deposit.pk, ACTOR),
    ]
    run_at_once((acts if turn % 2 else acts[::-1]) * 3)
    assert (balances(wallet), uncleared(wallet)) == ((0, 0, 0), 1000)
    assert Event.objects.filter(type="deposit.disputed").count() == 1
    assert_books_hold()
    confirm_reversal(reversal_id=DepositReversal.objects.get().pk, user=checker)
    assert (balances(wallet), uncleared(wallet)) == ((0, 0, 0), 0)
    assert_books_hold()


def test_disputes_during_withdrawals_hold_what_is_left(wallet, checker):
    def withdraw() -> None:
        with suppress(InsufficientBalance):
            wallet.request(300)

    reference = account_of(wallet)
    record = transaction_record(reference, currency="KES")
    arrive(record)
    run_at_once([*[withdraw] * 3, partial(say_failed, record), partial(say_failed, record)])
    available, escrow = wallet.kes
    held = uncleared(wallet)
    assert (available, held + escrow) == (0, 1000) if held else available + escrow == 1000
    assert escrow == 300 * Withdrawal.objects.count()
    assert_books_hold()
    confirm_reversal(reversal_id=DepositReversal.objects.get().pk, user=checker)
    assert balances(wallet) == (0, escrow, escrow)
    assert_books_hold()


def test_one_chargeback_reported_by_sixteen_at_once_is_one_dispute(wallet):
    record = transaction_record(account_of(wallet), currency="KES")
    arrive(record)
    run_at_once([partial(say_failed, record)] * 16)
    assert (wallet.balance(), uncleared(wallet)) == (0, 1000)
    assert DepositReversal.objects.count() == 1
    assert Transfer.objects.filter(kind="deposit_hold").count() == 1
    assert_books_hold()


def test_a_dispute_confirmed_and_rejected_at_once_is_decided_once(wallet, checker):
    record = transaction_record(account_of(wallet), currency="KES")
    arrive(record)
    say_failed(record)
    dispute = DepositReversal.objects.get()

    def decide(act: Callable[..., object], **more: object) -> None:
        with suppress(StateConflict):
            act(reversal_id=dispute.pk, user=checker, **more)

    run_at_once(
        [partial(decide, confirm_reversal), partial(decide, reject_reversal, reason="Won")] * 4
    )
    dispute.refresh_from_db()
    left = 0 if dispute.status == "Approved" else 1000
    assert (wallet.balance(), uncleared(wallet)) == (left, 0)
    kinds = ("deposit_reverse", "deposit_release")
    assert Transfer.objects.filter(kind__in=kinds).count() == 1
    assert_books_hold()
