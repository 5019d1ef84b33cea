"""Payments without a known owner: two people assign them to one, or refund them.

A refund whose result is not known is resolved the same way (`refunds`).
"""

from uuid import UUID

from django.db import transaction

from exchange.core.actors import Actor
from exchange.core.currencies import format_paid
from exchange.core.errors import Conflict, InvalidRequest, Rejected, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.participants.errors import MemberClosed
from exchange.participants.models import Member, MemberStatus, Organisation
from exchange.participants.services.members import hold_open
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.alerts.services import resolve_alert
from wallets.deposits.errors import PaymentNotFound
from wallets.deposits.models import (
    DepositChannel,
    Payment,
    PaymentAction,
    PaymentResolution,
    PaymentStatus,
)
from wallets.deposits.services.matching import credit_payment
from wallets.deposits.services.refunds import (
    complete_refund,
    describe_result_blocker,
    reopen,
    request_refund,
    start_refund,
)
from wallets.ledger.models import AccountKind
from wallets.providers.collection import BANK_TRANSFER

RESOLVE = "wallets.resolve_payment"
RESOLUTIONS = TwoPersonApproval(
    model=PaymentResolution,
    noun="payment resolution",
    permission=RESOLVE,
    unique_constraint="payment_resolution_once",
)
_MAX_EXPLANATION, _MAX_REFERENCE = 500, 100
_NOT_ALLOWED = "You may not decide about payments"


def propose_resolution(
    *,
    payment_id: UUID,
    action: PaymentAction,
    owner: Member | Organisation | None = None,
    refund_reference: str = "",
    explanation: str,
    user: StaffUser,
) -> PaymentResolution:
    """Propose the owner of an unmatched payment, its refund, or the result of a refund.

    Only an assignment has an `owner`, and only the result that it was refunded the provider's
    `refund_reference`. Raises `Forbidden`, `NotFound`, `StateConflict` unless the payment is
    Unmatched (Refunding, for a result), `Conflict` while another proposal is pending,
    `MemberClosed`, and `InvalidRequest`.
    """
    authorize_staff(user, RESOLVE, _NOT_ALLOWED)
    why = clean_text(explanation, missing="Enter an explanation", max_length=_MAX_EXPLANATION)
    payment = get_or_raise(Payment.objects.filter(pk=payment_id), PaymentNotFound)
    _require_status(payment, action)
    if (action == PaymentAction.ASSIGN) != (owner is not None):
        raise InvalidRequest.for_field("owner", "Choose an owner to assign it, none otherwise")
    if owner is not None and payment.booked_fee is None:
        raise Rejected(
            f"It cannot be assigned: {payment.last_error.lower()}", code="payment_not_creditable"
        )
    reference = clean_text(refund_reference, max_length=_MAX_REFERENCE)
    if (action == PaymentAction.REFUNDED) != bool(reference):
        raise InvalidRequest.for_field(
            "refund_reference", "Enter the provider's reference of the refund, for a refund only"
        )
    member = owner if isinstance(owner, Member) else None
    if member is not None and member.status == MemberStatus.CLOSED:
        raise MemberClosed
    organisation = owner if isinstance(owner, Organisation) else None
    return RESOLUTIONS.propose(
        Conflict("A decision about this payment is pending already", code="resolution_pending"),
        payment_id=payment_id,
        action=action,
        organisation_id=member.organisation_id if member else organisation and organisation.pk,
        member=member,
        refund_reference=reference,
        explanation=why,
        proposed_by=user,
    )


def confirm_resolution(*, resolution_id: UUID, user: StaffUser) -> Payment:
    """Carry out a proposal, as the second person.

    A refund is requested at the provider once the decision is committed, and never again on its
    own. Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected`, `MemberClosed`, and
    `ProviderFailed` where no refund was made or people must find its result.
    """
    actor = authorize_staff(user, RESOLVE, _NOT_ALLOWED)
    with transaction.atomic():
        payment_id = RESOLUTIONS.get(resolution_id, lock=False).payment_id
        payment = Payment.objects.select_for_update(no_key=True).get(pk=payment_id)
        proposal = RESOLUTIONS.get_approvable(resolution_id, user)
        action = PaymentAction(proposal.action)
        _require_status(payment, action)
        RESOLUTIONS.close(proposal, ApprovalStatus.APPROVED, user)
        if action == PaymentAction.ASSIGN:
            _assign(payment, proposal, actor)
        elif action == PaymentAction.REFUNDED:
            complete_refund(payment, proposal.refund_reference, actor)
        elif action == PaymentAction.NOT_REFUNDED:
            reopen(payment, f"It was not refunded: {proposal.explanation}")
        else:
            start_refund(payment)
            if payment.charged_back_amount == payment.amount:
                # The payer's bank has the money already.
                complete_refund(payment, "Charged back", actor)
                return payment
    return request_refund(payment, actor) if action == PaymentAction.REFUND else payment


def reject_resolution(*, resolution_id: UUID, reason: str, user: StaffUser) -> PaymentResolution:
    """Reject a proposal; the payment stays unmatched. Open to the proposer too."""
    authorize_staff(user, RESOLVE, _NOT_ALLOWED)
    return RESOLUTIONS.reject(resolution_id, user, reason)


def describe_action_blocker(payment: Payment, action: PaymentAction) -> str:
    """Return why `action` cannot be proposed for the payment now; empty if it can."""
    if action in {PaymentAction.REFUNDED, PaymentAction.NOT_REFUNDED}:
        return describe_result_blocker(payment)
    if payment.status != PaymentStatus.UNMATCHED:
        return f"The payment is {payment.status}, no longer Unmatched"
    if action == PaymentAction.ASSIGN and payment.charged_back_amount:
        taken = format_paid(payment.charged_back_amount, payment.currency_code)
        return f"{taken} of the payment was charged back: it cannot be assigned"
    return ""


def _assign(payment: Payment, proposal: PaymentResolution, actor: Actor) -> None:
    channel = (
        DepositChannel.VIRTUAL_ACCOUNT
        if payment.payment_type == BANK_TRANSFER
        else DepositChannel.CHECKOUT
    )
    if proposal.organisation_id is None:
        raise Conflict("The proposal has no owner", code="resolution_without_owner")
    if not hold_open(proposal.member_id):
        raise MemberClosed
    credit_payment(
        payment,
        (proposal.organisation_id, proposal.member_id),
        channel,
        actor,
        flags=["assigned"],
        source=AccountKind.UNMATCHED,
    )
    resolve_alert("payment_unmatched", subject=str(payment.transaction_id))


def _require_status(payment: Payment, action: PaymentAction) -> None:
    problem = describe_action_blocker(payment, action)
    if problem:
        raise StateConflict(problem)
