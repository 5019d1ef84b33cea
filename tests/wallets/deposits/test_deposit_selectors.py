"""What the lists and searches of deposits and payments select."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.ids import new_reference
from tests.factories.deposits import (
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import make_staff
from wallets.deposits.models import Payment, PaymentAction, PaymentResolution
from wallets.deposits.selectors import (
    find_deposit_ids,
    find_reference_owner,
    unconfirmed_refunds,
    undecided_payments,
)
from wallets.deposits.services.unmatched import propose_resolution
from wallets.providers.collection import TransactionStatus

pytestmark = pytest.mark.django_db


def pay_without_owner() -> Payment:
    payment = arrive(transaction_record(new_reference("elsewhere_")))
    assert payment.status == "Unmatched"
    return payment


def propose_owner(payment: Payment, owner: Owner) -> None:
    propose_resolution(
        payment_id=payment.pk,
        action=PaymentAction.ASSIGN,
        explanation="Theirs",
        owner=owner.member,
        user=make_staff("resolve_payment"),
    )


def refund(payment: Payment, **values: Any) -> Payment:
    """Leave the payment as a process does that requests its refund from the provider now."""
    proposal = propose_resolution(
        payment_id=payment.pk,
        action=PaymentAction.REFUND,
        explanation="It is not ours",
        user=make_staff("resolve_payment"),
    )
    PaymentResolution.objects.filter(pk=proposal.pk).update(
        status="Approved", decided_by=make_staff("resolve_payment"), decided_at=timezone.now()
    )
    Payment.objects.filter(pk=payment.pk).update(status="Refunding", **values)
    return payment


def test_deposits_are_found_by_their_reference_failed_or_not(owner):
    pending, failed, other = (make_checkout(owner) for _ in range(3))
    for each in (failed, other):
        arrive(transaction_record(each.reference, status=TransactionStatus.FAILED))
    assert find_deposit_ids(pending.reference) == [pending.pk]
    assert find_deposit_ids(failed.reference) == [failed.pk]
    assert find_deposit_ids("unknown") == []


def test_a_payment_is_undecided_while_it_is_unmatched_and_nothing_is_proposed(owner):
    waiting, proposed = pay_without_owner(), pay_without_owner()
    propose_owner(proposed, owner)
    credited = arrive(transaction_record(make_virtual_account(owner).reference))
    refunding = refund(pay_without_owner())
    assert credited.status == "Credited"
    assert list(undecided_payments(Payment.objects.all())) == [waiting]
    assert refunding not in undecided_payments(Payment.objects.all())


@pytest.mark.parametrize(
    ("seconds", "error", "listed"),
    [(110, "", False), (130, "", True), (1, "The answer was lost", True)],
)
def test_a_refund_is_unconfirmed_after_two_minutes_or_an_error(seconds, error, listed):
    unmatched = pay_without_owner()
    since = timezone.now() - timedelta(seconds=seconds)
    refunding = refund(pay_without_owner(), last_error=error)
    for each in (unmatched, refunding):
        Payment.objects.filter(pk=each.pk).update(updated_at=since)
    expected = [refunding] if listed else []
    assert list(unconfirmed_refunds(Payment.objects.all())) == expected


def test_the_owner_of_a_reference_is_a_checkout_an_account_or_unknown(owner):
    checkout, account = make_checkout(owner), make_virtual_account(owner)
    found = {
        reference: find_reference_owner(arrive(transaction_record(reference)))
        for reference in (checkout.reference, account.reference, new_reference("elsewhere_"))
    }
    assert list(found.values()) == [checkout, account, None]
