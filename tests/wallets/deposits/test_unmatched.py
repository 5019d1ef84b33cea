"""Payments without a known owner: two people assign or refund them."""

import pytest

from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.deposits import arrive, transaction_record
from tests.factories.wallets import assert_books_hold, balance_of, make_staff
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, PaymentAction
from wallets.deposits.services.unmatched import (
    confirm_resolution,
    propose_resolution,
    reject_resolution,
)

pytestmark = pytest.mark.django_db


def test_two_people_assign_an_unmatched_payment_to_its_owner():
    payment = arrive(transaction_record("unknown"))
    assert Alert.objects.filter(kind="payment_unmatched", resolved_at=None).exists()
    member, person = make_member(make_organisation(), "Ada Obi"), make_staff("resolve_payment")
    proposal = propose_resolution(
        payment_id=payment.pk,
        action=PaymentAction.ASSIGN,
        owner=member,
        explanation="Her bank's slip",
        user=person,
    )
    with pytest.raises(Rejected):
        confirm_resolution(resolution_id=proposal.pk, user=person)
    confirm_resolution(resolution_id=proposal.pk, user=make_staff("resolve_payment"))
    payment.refresh_from_db()
    deposit = Deposit.objects.get()
    assert (payment.status, payment.deposit, deposit.owner_id) == ("Credited", deposit, member.id)
    assert (deposit.status, deposit.channel, deposit.flags) == (
        "Completed", "virtual_account", ["assigned"],
    )  # fmt: skip
    assert balance_of(member.id, "NGN") == 1000
    assert not Alert.objects.filter(kind="payment_unmatched", resolved_at=None).exists()
    assert_books_hold()
    with pytest.raises(StateConflict):
        propose_resolution(
            payment_id=payment.pk,
            action=PaymentAction.REFUND,
            owner=None,
            explanation="again",
            user=person,
        )


def test_what_cannot_be_decided_changes_nothing():
    payment, foreign = (
        arrive(transaction_record("unknown")),
        arrive(transaction_record("unknown", currency="EUR")),
    )
    member, person = make_member(make_organisation()), make_staff("resolve_payment")
    other = make_staff("resolve_payment")
    rejected = propose_resolution(
        payment_id=payment.pk,
        action=PaymentAction.ASSIGN,
        owner=member,
        explanation="A guess",
        user=person,
    )
    reject_resolution(
        resolution_id=rejected.pk, reason="No evidence", user=make_staff("resolve_payment")
    )
    with assert_no_table_changes():
        for payment_id, action, owner, error in (
            (payment.pk, PaymentAction.ASSIGN, None, InvalidRequest),
            (payment.pk, PaymentAction.REFUND, member, InvalidRequest),
            (foreign.pk, PaymentAction.ASSIGN, member, Rejected),
        ):
            with pytest.raises(error):
                propose_resolution(
                    payment_id=payment_id, action=action, owner=owner, explanation="x", user=person
                )
        with pytest.raises(StateConflict):
            confirm_resolution(resolution_id=rejected.pk, user=other)
    assert balance_of(member.id, "NGN") == 0
    assert_books_hold()
