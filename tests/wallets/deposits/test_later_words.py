"""Later words about closed payments: whose they are, and which deposits they are waited for."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from orders.freezing.services import confirm_reversal
from tests.factories.chargebacks import (
    learn_of_chargeback,
    pay_for,
    pay_in,
    send_webhook,
    transaction_of,
)
from tests.factories.configuration import set_setting
from tests.factories.deposits import ACTOR, make_checkout, make_due
from tests.factories.unmatched import pay_without_owner
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, Payment, PaymentAction
from wallets.deposits.services import chargebacks
from wallets.deposits.services.crediting import due_to_clear
from wallets.deposits.services.disputes import mark_disputed
from wallets.deposits.services.payments import apply_record, ask_provider, report_payment
from wallets.deposits.services.unmatched import confirm_resolution, propose_resolution
from wallets.providers.base import Listed
from wallets.providers.collection import (
    Chargeback,
    ChargeHint,
    TransactionRecord,
    TransactionStatus,
)
from wallets.providers.registry import payment_provider

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("money_at_provider")]


def record_of(transaction_id: int) -> TransactionRecord:
    record = payment_provider().verify_transaction(str(transaction_id))
    assert record is not None
    return record


def is_due(deposit: Deposit) -> bool:
    return deposit in due_to_clear(timezone.now())


def test_a_deposit_that_is_wholly_disputed_is_not_asked_about_again_and_again(sandbox, owner):
    deposit = pay_in(sandbox, owner, payment_type="card")
    make_due(deposit)
    assert is_due(deposit)
    learn_of_chargeback(sandbox, deposit)
    assert not is_due(deposit)


def test_nor_one_of_which_the_rest_is_disputed(sandbox, owner):
    deposit, maker = pay_in(sandbox, owner, payment_type="card"), make_staff("reverse_deposit")
    part = mark_disputed(
        deposit_id=deposit.pk, amount=Decimal(300), explanation="A part", user=maker
    )
    make_due(deposit)
    assert is_due(deposit)  # the rest clears
    confirm_reversal(reversal_id=part.pk, user=make_staff("reverse_deposit"))
    mark_disputed(deposit_id=deposit.pk, explanation="The rest", user=maker)
    assert not is_due(deposit)


def test_the_chargeback_of_another_transaction_is_not_this_ones(sandbox, owner, monkeypatch):
    """Also where the provider's list is wider than what was wanted."""
    deposit = pay_in(sandbox, owner)
    record = record_of(transaction_of(deposit))
    own, others = (
        Chargeback(key, number, Decimal(5), won=False, created_at=timezone.now())
        for key, number in (("1", record.transaction_id), ("2", f"{record.transaction_id}0"))
    )

    class Wide:
        def list_chargebacks(
            self, *, first: date, last: date, flw_ref: str
        ) -> Iterable[Chargeback]:
            assert first <= record.created_at.date() <= last
            assert flw_ref == record.flw_ref
            return Listed([own, others])

    monkeypatch.setattr(chargebacks, "payment_provider", Wide)
    assert chargebacks.find_chargebacks(record) == [own]


def test_our_own_refund_that_the_provider_calls_failed_is_no_chargeback(sandbox):
    sandbox.store.set_float("NGN", Decimal(100_000))
    payment = pay_without_owner(sandbox)
    proposal = propose_resolution(
        payment_id=payment.pk,
        action=PaymentAction.REFUND,
        explanation="Nobody's",
        user=make_staff("resolve_payment"),
    )
    confirm_resolution(resolution_id=proposal.pk, user=make_staff("resolve_payment"))
    record = replace(record_of(payment.transaction_id), status=TransactionStatus.FAILED)
    apply_record(payment.pk, record, ACTOR, [])
    payment = Payment.objects.get(pk=payment.pk)
    assert (payment.status, payment.charged_back_amount) == ("Refunded", Decimal(0))
    assert not Alert.objects.filter(kind="payment_charged_back").exists()
    assert_books_hold()


@pytest.mark.parametrize(
    ("currency", "said", "kept"),
    [
        ("KES", "30.004", "30"),
        ("KES", "30.006", "30.01"),
        ("UGX", "30.4", "30"),
        # More than was paid, as a bank's costs would make it.
        ("KES", "1025", "1000"),
    ],
)
@pytest.mark.one_in(3)
def test_what_was_charged_back_is_of_the_payment_and_as_the_ledger_books_it(
    sandbox, owner, currency, said, kept
):
    deposit = pay_in(sandbox, owner, currency=currency)
    payment, record = Payment.objects.get(deposit=deposit), record_of(transaction_of(deposit))
    demand = Chargeback(
        "1", record.transaction_id, Decimal(said), won=False, created_at=timezone.now()
    )
    apply_record(payment.pk, record, ACTOR, [demand])
    payment.refresh_from_db()
    assert payment.charged_back_amount == Decimal(kept)
    assert [each.amount for each in deposit.reversals.all()] == [Decimal(kept)]
    assert_books_hold()


def test_an_answer_from_before_the_payment_was_closed_is_no_later_word(sandbox, owner):
    checkout = make_checkout(owner, "1000", "KES")
    transaction_id = pay_for(sandbox, checkout.reference, "1000")
    report_payment(ChargeHint(str(transaction_id), checkout.reference))
    payment = Payment.objects.get()
    record, demands = ask_provider(payment)
    assert record is not None
    apply_record(payment.pk, record, ACTOR)
    learn_of_chargeback(sandbox, checkout, "300")
    apply_record(payment.pk, record, ACTOR, demands)
    payment.refresh_from_db()
    assert payment.charged_back_amount == 300


def test_what_the_owner_did_not_get_is_not_taken_back(sandbox, owner):
    """The owner bears the provider's fee, and the whole payment is charged back."""
    set_setting("DEPOSIT_FEE_BORNE_BY_OWNER", Decimal(1))
    deposit = pay_in(sandbox, owner)
    assert deposit.fee > 0
    learn_of_chargeback(sandbox, deposit)
    reversal = deposit.reversals.get()
    assert reversal.amount == reversal.held == 1000 - deposit.fee
    confirm_reversal(reversal_id=reversal.pk, user=make_staff("reverse_deposit"))
    deposit.refresh_from_db()
    assert deposit.status == "Reversed"
    assert_books_hold()


def test_what_is_charged_back_again_after_a_return_is_reported(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    learn_of_chargeback(sandbox, deposit, listed=True)
    reversal = deposit.reversals.get()
    confirm_reversal(reversal_id=reversal.pk, user=make_staff("reverse_deposit"))
    transaction_id = transaction_of(deposit)
    sandbox.collection.end_chargeback(1, "won")
    send_webhook(sandbox, transaction_id)
    assert Alert.objects.filter(kind="chargeback_withdrawn").count() == 1
    learn_of_chargeback(sandbox, deposit, listed=True)
    # The deposit is taken back already; what people credited for the return is another one.
    [alert] = Alert.objects.filter(kind="payment_charged_back")
    assert alert.message == (
        f"1,000.00 KES of payment {transaction_id} was charged back again after the provider had"
        " returned it. Reverse what was credited for the return"
    )
    assert_books_hold()
