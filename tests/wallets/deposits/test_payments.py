"""Payments from webhook and status check to the wallet: each once, and for what it is."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from exchange.events.models import Event
from tests.assertions.unchanged import table_fingerprints
from tests.factories.configuration import set_setting
from tests.factories.deposits import (
    ACTOR,
    Owner,
    arrive,
    make_checkout,
    make_due,
    make_owner,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import assert_books_hold, balance_of
from wallets.deposits.models import Deposit, Payment, PaymentStatus
from wallets.deposits.services import crediting
from wallets.deposits.services.payments import apply_record, due_payments, report_payment
from wallets.ledger.models import Transfer
from wallets.ledger.selectors.wallets import available_balance
from wallets.providers.collection import ChargeHint, TransactionStatus

pytestmark = pytest.mark.django_db


def balance(owner: Owner, kind: str = "available", currency: str = "NGN") -> Decimal | int:
    return balance_of((owner.member or owner.organisation).pk, currency, kind)


def test_a_payment_into_a_virtual_account_is_credited_to_its_owner(owner):
    account = make_virtual_account(owner)
    record = transaction_record(account.reference, "250000.50")
    payment = arrive(record)
    deposit = Deposit.objects.get()
    assert (payment.status, payment.deposit, payment.next_lookup_at) == (
        "Credited", deposit, None,
    )  # fmt: skip
    assert (deposit.status, deposit.channel, deposit.net_amount, deposit.flags) == (
        "Completed", "virtual_account", Decimal("250000.50"), [],
    )  # fmt: skip
    assert (deposit.provider_reference, deposit.payer_name, deposit.payer_bank) == (
        record.flw_ref, "ADA OBI", "Access Bank",
    )  # fmt: skip
    assert balance(owner) == Decimal("250000.50")
    assert Event.objects.get().type == "deposit.completed"
    assert_books_hold()


@pytest.mark.parametrize(
    ("payment_type", "rests"),
    [("bank_transfer", False), ("card", True), ("mobilemoneyghana", True), ("", True)],
)
def test_only_a_bank_transfer_is_available_at_once(owner, payment_type, rests):
    checkout = make_checkout(owner)
    arrive(transaction_record(checkout.reference, payment_type=payment_type))
    checkout.refresh_from_db()
    assert (balance(owner), balance(owner, "uncleared")) == ((0, 1000) if rests else (1000, 0))
    if rests:
        assert checkout.available_at is not None
        assert checkout.decided_at is not None
        days = checkout.available_at - checkout.decided_at
        assert timedelta(days=3) <= days < timedelta(days=3, minutes=1)
        assert not crediting.due_to_clear(timezone.now())
        assert not crediting.clear(checkout.pk, ACTOR)
    else:
        assert checkout.available_at is None
    assert_books_hold()


def test_uncleared_money_becomes_available_once_when_its_time_has_come(owner):
    checkout = make_checkout(owner)
    arrive(transaction_record(checkout.reference, payment_type="card"))
    due = timezone.now() + timedelta(days=3, minutes=1)
    assert crediting.due_to_clear(due).get() == checkout
    make_due(checkout)
    assert crediting.clear(checkout.pk, ACTOR)
    assert not crediting.clear(checkout.pk, ACTOR)
    assert not crediting.due_to_clear(due)
    assert (balance(owner), balance(owner, "uncleared")) == (1000, 0)
    assert_books_hold()


def test_who_bears_the_charge_is_a_setting(owner):
    set_setting("DEPOSIT_FEE_BORNE_BY_OWNER", Decimal(1))
    checkout = make_checkout(owner)
    arrive(transaction_record(checkout.reference, app_fee=Decimal("14.005")))
    checkout.refresh_from_db()
    assert (checkout.fee, checkout.net_amount) == (Decimal(14), 986)
    assert balance(owner) == 986
    assert_books_hold()


@pytest.mark.parametrize(
    ("changes", "flags", "credited"),
    [
        ({"amount": Decimal("999.99")}, ["amount_differs"], ("NGN", Decimal("999.99"))),
        ({"amount": Decimal(5000)}, ["amount_differs"], ("NGN", Decimal(5000))),
        ({"currency": "KES"}, ["currency_differs"], ("KES", Decimal(1000))),
    ],
)
def test_what_differs_from_its_checkout_is_credited_as_what_it_is(owner, changes, flags, credited):
    checkout = make_checkout(owner)
    arrive(transaction_record(checkout.reference, **changes))
    checkout.refresh_from_db()
    currency, amount = credited
    assert (checkout.status, checkout.currency_id, checkout.amount, checkout.flags) == (
        "Completed", currency, amount, flags,
    )  # fmt: skip
    assert balance(owner, currency=currency) == amount
    assert_books_hold()


def test_a_second_payment_of_a_checkout_is_a_deposit_of_its_own(owner):
    checkout = make_checkout(owner)
    arrive(transaction_record(checkout.reference))
    arrive(transaction_record(checkout.reference))
    first, second = Deposit.objects.order_by("id")
    assert (first.pk, first.flags, second.flags) == (checkout.pk, [], ["paid_again"])
    assert (second.channel, second.owner_id) == ("checkout", checkout.owner_id)
    assert balance(owner) == 2000
    assert_books_hold()


def test_a_failed_payment_fails_its_checkout_and_a_later_one_completes_it(owner):
    checkout = make_checkout(owner)
    failed = transaction_record(
        checkout.reference,
        status=TransactionStatus.FAILED,
        processor_response="Insufficient funds",
    )
    assert arrive(failed).status == "Failed"
    checkout.refresh_from_db()
    assert (checkout.status, checkout.reason, balance(owner)) == (
        "Failed", "Insufficient funds", 0,
    )  # fmt: skip
    arrive(transaction_record(checkout.reference))
    checkout.refresh_from_db()
    assert (checkout.status, checkout.reason, checkout.flags) == (
        "Completed", "", ["paid_after_failure"],
    )  # fmt: skip
    kinds = Event.objects.order_by("id").values_list("type", flat=True)
    assert list(kinds) == ["deposit.failed", "deposit.completed"]
    assert_books_hold()


def test_a_pending_payment_is_looked_up_again_and_moves_nothing(owner):
    checkout = make_checkout(owner)
    record = transaction_record(checkout.reference, status=TransactionStatus.PENDING)
    payment = arrive(record)
    assert (payment.status, balance(owner)) == ("Pending", 0)
    assert payment.next_lookup_at is not None
    assert timezone.now() < payment.next_lookup_at < timezone.now() + timedelta(hours=1, minutes=1)
    arrive(replace(record, status=TransactionStatus.SUCCESSFUL))
    assert balance(owner) == 1000
    assert_books_hold()


@pytest.mark.parametrize("what", ["tx_ref", "transaction_id"])
def test_a_hint_that_the_look_up_does_not_confirm_credits_nothing(owner, what):
    checkout, other = make_checkout(owner), make_checkout(owner)
    record = transaction_record(checkout.reference)
    if what == "tx_ref":
        payment = arrive(record, hinted=other.reference)
    else:
        report_payment(ChargeHint(record.transaction_id, record.tx_ref))
        payment = Payment.objects.get()
        apply_record(payment.pk, replace(record, transaction_id="1"), ACTOR)
        payment.refresh_from_db()
    assert (payment.status, payment.next_lookup_at) == ("Disproved", None)
    assert not Transfer.objects.exists()
    # The list, which the provider itself makes, tells the truth about the same transaction.
    arrive(record)
    assert balance(owner) == 1000
    checkout.refresh_from_db()
    assert checkout.status == "Completed"
    assert_books_hold()


def test_repeated_reports_and_look_ups_change_nothing(owner):
    checkout = make_checkout(owner)
    record = transaction_record(checkout.reference)
    payment = arrive(record)
    # Each report brings a status check, which finds nothing new.
    left_out = "wallets_payment"
    before = {key: value for key, value in table_fingerprints().items() if key != left_out}
    for _ in range(3):
        assert report_payment(ChargeHint(record.transaction_id, record.tx_ref))
        assert due_payments(timezone.now()) == [payment.pk]
        apply_record(payment.pk, record, ACTOR, [])
        apply_record(payment.pk, replace(record, amount=Decimal(9)), ACTOR, [])
    after = {key: value for key, value in table_fingerprints().items() if key != left_out}
    assert after == before
    payment.refresh_from_db()
    assert (payment.status, payment.amount) == ("Credited", Decimal(1000))
    assert payment.charged_back_amount == 0
    assert due_payments(timezone.now() + timedelta(days=30)) == []


def test_a_payment_that_fits_no_owner_waits_as_unmatched(owner):
    payment = arrive(transaction_record("nobody's"))
    assert (payment.status, payment.deposit) == (PaymentStatus.UNMATCHED, None)
    assert not Deposit.objects.exists()
    assert_books_hold()


@pytest.mark.parametrize(
    "changes", [{"currency": "EUR"}, {"currency": "UGX", "amount": Decimal("10.5")}]
)
def test_a_payment_that_the_ledger_cannot_hold_waits_outside_of_it(owner, changes):
    checkout = make_checkout(owner)
    payment = arrive(transaction_record(checkout.reference, **changes))
    assert (payment.status, payment.booked_fee) == ("Unmatched", None)
    assert not Transfer.objects.exists()
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_one_payment_verified_by_sixteen_at_once_is_credited_once():
    owner = make_owner()
    account = make_virtual_account(owner)
    record = transaction_record(account.reference)
    report_payment(ChargeHint(record.transaction_id, record.tx_ref))
    payment_id = Payment.objects.get().pk
    barrier = threading.Barrier(16)

    def verify(_: int) -> None:
        try:
            barrier.wait(30)
            apply_record(payment_id, record, ACTOR)
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(verify, range(16)))
    assert Deposit.objects.count() == Event.objects.count() == 1
    assert available_balance(Deposit.objects.get().owner_id, "NGN") == 1000
    assert_books_hold()
