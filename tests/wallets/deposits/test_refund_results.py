"""Refunds of unmatched payments at a real sandbox: made, not made, and with a lost answer."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.core.database import violated_constraint
from exchange.core.errors import (
    Conflict,
    DomainError,
    InvalidRequest,
    ProviderFailed,
    Rejected,
    StateConflict,
)
from exchange.participants.models import Member
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.services import Sandbox
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.deposits import ACTOR, Owner, make_checkout
from tests.factories.unmatched import (
    REFUNDS,
    pay_without_owner,
    refunded_at_provider,
    system_total,
)
from tests.factories.wallets import assert_books_hold, balance_of, make_staff
from wallets.alerts.models import Alert
from wallets.deposits.models import Payment, PaymentAction, PaymentResolution
from wallets.deposits.services.checking import check_payment_now
from wallets.deposits.services.refunds import complete_refund, lock_refunding
from wallets.deposits.services.unmatched import (
    confirm_resolution,
    propose_resolution,
    reject_resolution,
)

pytestmark = pytest.mark.django_db
REFUND, ASSIGN = PaymentAction.REFUND, PaymentAction.ASSIGN
REFUNDED, NOT_REFUNDED = PaymentAction.REFUNDED, PaymentAction.NOT_REFUNDED


@pytest.fixture
def payment(provider_sandbox: Sandbox) -> Payment:
    found = pay_without_owner(provider_sandbox)
    assert (found.status, found.booked_fee) == ("Unmatched", Decimal(14))
    return found


def propose(payment: Payment, action: PaymentAction, **more: Any) -> PaymentResolution:
    return propose_resolution(
        payment_id=payment.pk,
        action=action,
        explanation="Found at the bank",
        user=make_staff("resolve_payment"),
        **more,
    )


def decide(payment: Payment, action: PaymentAction, **more: Any) -> Payment:
    """Propose and confirm by two people."""
    proposal = propose(payment, action, **more)
    return confirm_resolution(resolution_id=proposal.pk, user=make_staff("resolve_payment"))


def open_alerts() -> list[str]:
    return list(Alert.objects.filter(resolved_at=None).values_list("message", flat=True))


def state_of(payment: Payment) -> tuple[str, str, str, Any, Any]:
    payment.refresh_from_db()
    return (
        payment.status,
        payment.refund_reference,
        payment.last_error,
        system_total("unmatched"),
        system_total("clearing"),
    )


def lose_answer(sandbox: Sandbox, payment: Payment) -> None:
    """Confirm a refund whose answer is lost after the provider made it."""
    sandbox.fault("timeout_after", match=REFUNDS, seconds=0.1)
    with pytest.raises(ProviderFailed, match="did not confirm the refund"):
        decide(payment, REFUND)
    payment.refresh_from_db()


def test_a_refund_that_the_provider_confirms_moves_the_money_out(payment, provider_sandbox):
    assert decide(payment, REFUND).status == "Refunded"
    status, reference, error, unmatched, clearing = state_of(payment)
    assert (status, error, unmatched, clearing) == ("Refunded", "", 0, Decimal(14))
    assert reference.isdigit()
    assert refunded_at_provider(provider_sandbox, payment) == 1000
    assert open_alerts() == []
    assert_books_hold()


def test_a_refund_with_a_lost_answer_keeps_the_money_until_two_people_record_it(
    payment, provider_sandbox
):
    lose_answer(provider_sandbox, payment)
    status, reference, error, unmatched, clearing = state_of(payment)
    assert (status, reference, unmatched, clearing) == ("Refunding", "", 1000, -986)
    assert error.startswith("The provider did not confirm the refund: ")
    assert len(open_alerts()) == 1
    assert_books_hold()
    # Neither again nor to an owner.
    for action in (REFUND, ASSIGN):
        with pytest.raises(StateConflict, match="Refunding, no longer Unmatched"):
            propose(payment, action)
    proposal = propose(payment, REFUNDED, refund_reference=" RF-7 ")
    person = proposal.proposed_by
    with pytest.raises(Rejected):
        confirm_resolution(resolution_id=proposal.pk, user=person)
    with pytest.raises(Conflict, match="pending already"):
        propose(payment, NOT_REFUNDED)
    done = confirm_resolution(resolution_id=proposal.pk, user=make_staff("resolve_payment"))
    assert done.status == "Refunded"
    assert state_of(payment) == ("Refunded", "RF-7", "", 0, Decimal(14))
    assert refunded_at_provider(provider_sandbox, payment) == 1000
    assert open_alerts() == []
    assert_books_hold()


def test_a_refund_that_was_not_made_is_unmatched_again_and_can_be_assigned(
    payment, provider_sandbox
):
    provider_sandbox.fault("error_5xx", match=REFUNDS)
    with pytest.raises(ProviderFailed):
        decide(payment, REFUND)
    assert decide(payment, NOT_REFUNDED).status == "Unmatched"
    assert state_of(payment) == (
        "Unmatched", "", "It was not refunded: Found at the bank", 1000, -986,
    )  # fmt: skip
    assert refunded_at_provider(provider_sandbox, payment) == 0
    assert len(open_alerts()) == 1
    assert_books_hold()
    member: Member = make_member(make_organisation(), "Ada Obi")
    assert decide(payment, ASSIGN, owner=member).status == "Credited"
    assert balance_of(member.id, "NGN") == 1000
    assert open_alerts() == []
    assert_books_hold()


def test_a_refund_that_cannot_have_been_made_is_unmatched_at_once(payment, provider_sandbox):
    body = '{"status": "error", "message": "No transaction was found for this id", "data": null}'
    provider_sandbox.fault("error_5xx", match=REFUNDS, status=400, body=body)
    with pytest.raises(ProviderFailed, match="No refund was made: No transaction was found"):
        decide(payment, REFUND)
    status, _, error, unmatched, _ = state_of(payment)
    assert (status, unmatched) == ("Unmatched", 1000)
    assert error == "No refund was made: No transaction was found for this id"
    assert_books_hold()
    # Two people may decide again.
    assert decide(payment, REFUND).status == "Refunded"
    assert_books_hold()


def test_another_amount_than_was_paid_is_left_to_people(payment, provider_sandbox):
    body = f'{{"status": "success", "message": "", "data": {{"id": 9, "amount_refunded": 999,' \
        f' "tx_id": {payment.transaction_id}}}}}'  # fmt: skip
    provider_sandbox.fault("error_5xx", match=REFUNDS, status=200, body=body)
    with pytest.raises(ProviderFailed, match="another amount"):
        decide(payment, REFUND)
    status, _, error, unmatched, _ = state_of(payment)
    assert (status, unmatched) == ("Refunding", 1000)
    assert error == "The provider refunded 999 under the reference 9"


def test_a_result_is_not_recorded_while_the_answer_may_still_arrive(payment):
    proposal = propose(payment, REFUND)
    # As if the process that requests the refund were at the provider now.
    PaymentResolution.objects.filter(pk=proposal.pk).update(
        status="Approved", decided_by=make_staff("resolve_payment"), decided_at=timezone.now()
    )
    Payment.objects.filter(pk=payment.pk).update(status="Refunding", last_error="")
    Payment.objects.filter(pk=payment.pk).update(updated_at=timezone.now())
    before = table_fingerprints()
    with pytest.raises(StateConflict, match="Wait two minutes"):
        propose(payment, NOT_REFUNDED)
    assert table_fingerprints()["wallets_paymentresolution"] == before["wallets_paymentresolution"]
    late = timezone.now() - timedelta(minutes=2, seconds=1)
    Payment.objects.filter(pk=payment.pk).update(updated_at=late)
    assert propose(payment, NOT_REFUNDED).status == "Pending"


def test_a_decision_about_one_payment_is_none_about_another(payment, provider_sandbox):
    lose_answer(provider_sandbox, pay_without_owner(provider_sandbox))
    with pytest.raises(IntegrityError, match="two people") as refused, transaction.atomic():
        Payment.objects.filter(pk=payment.pk).update(status="Refunding")
    assert violated_constraint(refused.value) == "payment_decided_by_two"


@pytest.mark.parametrize("older_is_lost", [True, False])
def test_an_answer_closes_its_own_payment(payment, provider_sandbox, older_is_lost):
    other = pay_without_owner(provider_sandbox)
    lost, answered = (payment, other) if older_is_lost else (other, payment)
    lose_answer(provider_sandbox, lost)
    assert decide(answered, REFUND).pk == answered.pk
    assert [state_of(each)[0] for each in (lost, answered)] == ["Refunding", "Refunded"]
    decide(lost, NOT_REFUNDED)
    assert [state_of(each)[0] for each in (lost, answered)] == ["Unmatched", "Refunded"]


def test_a_late_answer_does_not_undo_what_people_recorded(payment, provider_sandbox):
    lose_answer(provider_sandbox, payment)
    decide(payment, NOT_REFUNDED)
    assert lock_refunding(payment.pk) is None
    assert state_of(payment)[0] == "Unmatched"


@pytest.mark.parametrize(
    ("action", "more"),
    [
        (REFUNDED, {}),
        (REFUNDED, {"refund_reference": "  "}),
        (REFUNDED, {"refund_reference": "x" * 101}),
        (NOT_REFUNDED, {"refund_reference": "RF-7"}),
    ],
)
def test_only_a_refund_has_a_reference(payment, provider_sandbox, action, more):
    lose_answer(provider_sandbox, payment)
    person = make_staff("resolve_payment")
    with assert_no_table_changes(), pytest.raises(InvalidRequest):
        propose_resolution(
            payment_id=payment.pk, action=action, explanation="x", user=person, **more
        )


def test_a_rejected_result_leaves_the_refund_open(payment, provider_sandbox):
    lose_answer(provider_sandbox, payment)
    proposal = propose(payment, REFUNDED, refund_reference="RF-7")
    reject_resolution(
        resolution_id=proposal.pk, reason="Another refund", user=make_staff("resolve_payment")
    )
    assert state_of(payment)[:2] == ("Refunding", "")
    assert decide(payment, NOT_REFUNDED).status == "Unmatched"


def test_the_database_refuses_what_two_people_did_not_decide(payment):
    deposit = make_checkout(Owner(make_organisation()))
    for status in ("Credited", "Refunding", "Refunded", "Failed"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Payment.objects.filter(pk=payment.pk).update(
                status=status, deposit=deposit if status == "Credited" else None
            )
    with pytest.raises(IntegrityError), transaction.atomic():
        complete_refund(payment, "RF-1", ACTOR)
    assert state_of(payment)[0] == "Unmatched"


def test_a_person_checks_a_payment_now(payment, provider_sandbox):
    person = make_staff("resolve_payment")

    def check(found: Payment) -> str:
        return check_payment_now(payment_id=found.pk, user=person)

    assert check(payment) == "Checked. The provider's record is unchanged: successful."
    payment.refresh_from_db()
    assert (payment.status, payment.lookups) == ("Unmatched", 2)
    # What differs is said, and changes nothing.
    Payment.objects.create(
        transaction_id=10**17, tx_ref="nowhere", created_at=timezone.now(),
        updated_at=timezone.now(),
    )  # fmt: skip
    unknown = Payment.objects.get(transaction_id=10**17)
    assert check(unknown) == "Checked. The payment is Reported: The provider does not know it yet."
    Payment.objects.filter(pk=unknown.pk).update(status="Disproved", last_error="Once")
    assert check(unknown) == "Checked. The payment is Reported: The provider does not know it yet."
    provider_sandbox.fault("error_5xx", match={"path_prefix": "/v3/transactions"}, times=9)
    with pytest.raises(ProviderFailed, match="could not be reached"):
        check(payment)
    provider_sandbox.reset()
    decide(payment, REFUND)
    assert check(payment) == "Checked. The provider's record is unchanged: successful."
    stranger = make_staff("decide_deposit")
    with assert_no_table_changes(), pytest.raises(DomainError, match="may not decide"):
        check_payment_now(payment_id=payment.pk, user=stranger)
