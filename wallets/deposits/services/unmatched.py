"""Payments without a known owner: two people assign them to one, or refund them."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.core.errors import (
    Conflict,
    InvalidRequest,
    NotFound,
    ProviderFailed,
    Rejected,
    StateConflict,
)
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.participants.errors import MemberClosed
from exchange.participants.models import Member, MemberStatus, Organisation
from exchange.participants.services.members import hold_open
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.deposits.models import (
    DepositChannel,
    Payment,
    PaymentAction,
    PaymentResolution,
    PaymentStatus,
)
from wallets.deposits.services.matching import credit_payment
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account
from wallets.providers.base import NeverSent, ProviderError
from wallets.providers.collection import BANK_TRANSFER
from wallets.providers.registry import payment_provider

RESOLVE = "wallets.resolve_payment"
RESOLUTIONS = TwoPersonApproval(
    model=PaymentResolution,
    noun="payment resolution",
    permission=RESOLVE,
    unique_constraint="payment_resolution_once",
)
_MAX_EXPLANATION = 500
_NOT_FOUND = NotFound("Payment not found", code="payment_not_found")


def propose_resolution(
    *,
    payment_id: UUID,
    action: PaymentAction,
    owner: Member | Organisation | None,
    explanation: str,
    user: StaffUser,
) -> PaymentResolution:
    """Propose the owner of an unmatched payment, or (`owner` None) its refund.

    Raises `Forbidden`, `NotFound`, `StateConflict` unless it is Unmatched, `Conflict` while another
    proposal is pending, `MemberClosed` and `InvalidRequest`.
    """
    authorize_staff(user, RESOLVE, "You may not decide about payments")
    why = clean_text(explanation, missing="Enter an explanation", max_length=_MAX_EXPLANATION)
    payment = get_or_raise(Payment.objects.filter(pk=payment_id), _NOT_FOUND)
    _require_unmatched(payment)
    if (action == PaymentAction.ASSIGN) != (owner is not None):
        raise InvalidRequest.for_field("owner", "Choose an owner to assign it, none to refund it")
    if owner is not None and payment.booked_fee is None:
        raise Rejected(
            f"It cannot be assigned: {payment.last_error.lower()}", code="payment_not_creditable"
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
        explanation=why,
        proposed_by=user,
    )


def confirm_resolution(*, resolution_id: UUID, user: StaffUser) -> Payment:
    """Assign or refund the payment, as the second person.

    A refund is requested at the provider once the decision is committed, and never again on its
    own. Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected`, `MemberClosed`, and
    `ProviderFailed` where people must look at the provider's own pages.
    """
    actor = authorize_staff(user, RESOLVE, "You may not decide about payments")
    with transaction.atomic():
        payment_id = RESOLUTIONS.get(resolution_id, lock=False).payment_id
        payment = Payment.objects.select_for_update(no_key=True).get(pk=payment_id)
        proposal = RESOLUTIONS.get_approvable(resolution_id, user)
        _require_unmatched(payment)
        if not hold_open(proposal.member_id):
            raise MemberClosed
        RESOLUTIONS.close(proposal, ApprovalStatus.APPROVED, user)
        if proposal.action == PaymentAction.ASSIGN and proposal.organisation_id is not None:
            channel = (
                DepositChannel.VIRTUAL_ACCOUNT
                if payment.payment_type == BANK_TRANSFER
                else DepositChannel.CHECKOUT
            )
            credit_payment(
                payment,
                (proposal.organisation_id, proposal.member_id),
                channel,
                actor,
                flags=["assigned"],
                source=AccountKind.UNMATCHED,
            )
        else:
            payment.status = PaymentStatus.REFUNDED
            payment.updated_at = timezone.now()
            payment.save()
            if payment.booked_fee is not None and payment.amount is not None:
                post_transfer(
                    kind=TransferKind.PAYMENT_REFUND,
                    reference=f"payment:{payment.pk}:refund",
                    subject_id=payment.pk,
                    actor=actor,
                    legs=[
                        Leg(
                            system_account(payment.currency_code, AccountKind.UNMATCHED),
                            -payment.amount,
                        ),
                        Leg(
                            system_account(payment.currency_code, AccountKind.CLEARING),
                            payment.amount,
                        ),
                    ],
                )
            # Open until the provider confirms the refund, whatever becomes of this process.
            raise_alert(
                "refund_unconfirmed",
                subject=str(payment.transaction_id),
                message=f"The refund of payment {payment.transaction_id} is decided. The payment"
                " provider has not confirmed it",
            )
        resolve_alert("payment_unmatched", subject=str(payment.transaction_id))
    if payment.status == PaymentStatus.REFUNDED:
        _refund(payment)
    return payment


def reject_resolution(*, resolution_id: UUID, reason: str, user: StaffUser) -> PaymentResolution:
    """Reject a proposal; the payment stays unmatched. Open to the proposer too."""
    authorize_staff(user, RESOLVE, "You may not decide about payments")
    why = clean_text(reason, missing="Enter a reason for the rejection")
    with transaction.atomic():
        proposal = RESOLUTIONS.get_pending(resolution_id)
        return RESOLUTIONS.close(proposal, ApprovalStatus.REJECTED, user, reason=why)


def _refund(payment: Payment) -> None:
    try:
        payment_provider().refund_transaction(str(payment.transaction_id))
    except NeverSent as error:
        raise ProviderFailed(
            "The payment provider could not be reached. Refund the payment on the provider's own"
            " pages"
        ) from error
    except ProviderError as error:
        raise ProviderFailed(
            "The payment provider did not confirm the refund. Check it on the provider's own pages"
            f" before you repeat it: {error}"
        ) from error
    resolve_alert("refund_unconfirmed", subject=str(payment.transaction_id))


def _require_unmatched(payment: Payment) -> None:
    if payment.status != PaymentStatus.UNMATCHED:
        raise StateConflict(f"The payment is {payment.status}, no longer Unmatched")
