"""What becomes of a payment by its amount, its charge, its reference and its owner, exactly."""

from decimal import Decimal

import pytest

from exchange.core.currencies import format_money
from exchange.core.ids import uuid7
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.deposits import (
    ACTOR,
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import assert_books_hold, balance_of, make_staff
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, DepositStatus, Payment
from wallets.deposits.services import crediting
from wallets.deposits.services.manual import IncomingPayment, book_deposit, enter
from wallets.ledger.models import Account, Entry, Transfer
from wallets.providers.collection import Payer, TransactionStatus

pytestmark = pytest.mark.django_db


def entries(kind: str) -> list[tuple[str, Decimal]]:
    """Return the entries of the transfers of a kind: kind of account and amount."""
    found = Entry.objects.filter(transfer__kind=kind).order_by("account__kind")
    return list(found.values_list("account__kind", "amount"))


@pytest.mark.parametrize("amount", ["0.01", "0.5", "1"])
def test_the_smallest_payments_are_credited(owner, amount):
    account = make_virtual_account(owner)
    payment = arrive(transaction_record(account.reference, amount, app_fee=Decimal(0)))
    assert (payment.status, balance_of(owner.member_id, "NGN")) == (
        "Credited", Decimal(amount),
    )  # fmt: skip
    assert entries("deposit_charge") == []
    assert_books_hold()


@pytest.mark.parametrize(
    ("amount", "fee", "reason", "booked"),
    [
        ("0", "0", "Its amount is not one of its currency", None),
        ("10.001", "1", "Its amount is not one of its currency", None),
        ("14", "14", "The payment provider's fee leaves nothing of it", Decimal(14)),
        ("13.99", "14", "The payment provider's fee leaves nothing of it", None),
        ("0.01", "14", "The payment provider's fee leaves nothing of it", None),
    ],
)
def test_a_payment_that_leaves_nothing_waits_for_two_people(owner, amount, fee, reason, booked):
    account = make_virtual_account(owner)
    payment = arrive(transaction_record(account.reference, amount, app_fee=Decimal(fee)))
    assert (payment.status, payment.last_error, payment.booked_fee) == (
        "Unmatched", reason, booked,
    )  # fmt: skip
    assert not Deposit.objects.exists()
    alert = Alert.objects.get()
    assert (alert.kind, alert.message) == (
        "payment_unmatched",
        f"Payment {payment.transaction_id} of {format_money(Decimal(amount), 'NGN')}"
        f" needs a decision: {reason}",
    )
    assert_books_hold()


def test_an_unmatched_payment_rests_with_its_charge_until_it_is_assigned(owner):
    payment = arrive(transaction_record("nobody's", "1000", app_fee=Decimal("14.005")))
    assert payment.booked_fee == Decimal("14.00")
    assert entries("payment_unmatched") == [
        ("clearing", Decimal(-986)), ("expenses", Decimal(-14)), ("unmatched", Decimal(1000)),
    ]  # fmt: skip
    assert Transfer.objects.get().memo == "nobody's"
    assert_books_hold()


def test_what_differs_raises_an_alert_and_what_fits_does_not(owner):
    arrive(transaction_record(make_checkout(owner).reference))
    arrive(transaction_record(make_virtual_account(owner).reference, "15"))
    assert not Alert.objects.exists()
    checkout = make_checkout(owner)
    arrive(transaction_record(checkout.reference, "999", currency="KES"))
    checkout.refresh_from_db()
    assert checkout.flags == ["currency_differs"]
    alert = Alert.objects.get()
    assert (alert.kind, alert.subject, alert.message) == (
        "deposit_differs", checkout.reference,
        f"Deposit {checkout.reference} is not what its checkout requested: currency differs",
    )  # fmt: skip


def test_a_payment_in_another_currency_than_its_account_is_flagged(owner):
    account = make_virtual_account(owner, "GHS")
    payment = arrive(transaction_record(account.reference, "100", app_fee=Decimal("1.40")))
    assert payment.deposit is not None
    assert (payment.deposit.flags, payment.deposit.currency_id) == (["currency_differs"], "NGN")


def test_the_payer_is_kept_as_far_as_columns_go(owner):
    payer = Payer("n" * 250, "b" * 250, "1" * 50)
    payment = arrive(transaction_record(make_virtual_account(owner).reference, payer=payer))
    assert payment.deposit is not None
    assert (
        payment.deposit.payer_name, payment.deposit.payer_bank, payment.deposit.payer_account,
    ) == ("n" * 200, "b" * 200, "1" * 40)  # fmt: skip


def manual(owner: Owner, reference: str) -> IncomingPayment:
    return IncomingPayment(owner.organisation.pk, owner.member_id, "NGN", Decimal(1000), reference)


def test_a_manual_deposit_is_never_taken_for_a_checkout(owner):
    waiting = enter(payment=manual(owner, "deposit_waiting"), user=make_staff("add_deposit"))
    booked = book_deposit(payment=manual(owner, "deposit_booked"), actor=TESTER)
    failed = transaction_record(waiting.reference, status=TransactionStatus.FAILED)
    assert arrive(failed).status == "Failed"
    for deposit in (waiting, booked):
        assert arrive(transaction_record(deposit.reference)).status == "Unmatched"
    waiting.refresh_from_db()
    assert (waiting.status, Deposit.objects.count()) == (DepositStatus.PENDING, 2)
    assert balance_of(owner.member_id, "NGN") == 1000
    assert_books_hold()


def test_a_failed_payment_without_a_reason_says_so_and_fails_its_own_checkout_only(owner):
    checkout, other = make_checkout(owner), make_checkout(owner)
    arrive(
        transaction_record(
            checkout.reference, status=TransactionStatus.FAILED, processor_response=""
        )
    )
    checkout.refresh_from_db()
    other.refresh_from_db()
    assert (checkout.status, checkout.reason) == ("Failed", "The payment failed")
    assert (other.status, other.reason) == ("Pending", "")


def test_one_deposit_clears_alone(owner):
    first, second = make_checkout(owner), make_checkout(owner)
    for checkout in (first, second):
        arrive(transaction_record(checkout.reference, payment_type="card"))
    clear_now(first)
    second.refresh_from_db()
    assert second.cleared_at is None
    assert owner.member_id is not None
    assert (
        balance_of(owner.member_id, "NGN"),
        balance_of(owner.member_id, "NGN", "uncleared"),
    ) == (1000, 1000)
    assert not crediting.clear(uuid7(), ACTOR)
    assert_books_hold()


def clear_now(deposit: Deposit) -> None:
    """Clear a deposit as if its time had come."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_deposit SET available_at = now() WHERE id = %s", [deposit.pk]
        )
    assert crediting.clear(deposit.pk, ACTOR)


def test_an_owner_gets_the_accounts_of_a_wallet_with_the_first_deposit(owner):
    arrive(transaction_record(make_virtual_account(owner).reference))
    kinds = Account.objects.filter(owner_id=owner.member_id).order_by("kind")
    assert list(kinds.values_list("kind", flat=True)) == ["available", "escrow"]
    assert Payment.objects.get().deposit is not None
