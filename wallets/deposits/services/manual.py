"""Manual deposits. Immediate by the command, under dual control by staff."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.errors import Conflict, Forbidden, InvalidCurrency, InvalidRequest
from exchange.core.numbers import MAX_NUMBER, decimals_error
from exchange.core.text import clean_text
from exchange.participants.errors import MemberClosed
from exchange.participants.models import Member
from exchange.participants.services.members import hold_open
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import StaffUser
from wallets.deposits.models import DepositStatus, ManualDeposit
from wallets.deposits.services.crediting import credit, emit_deposit_event

ENTER, DECIDE = "wallets.add_deposit", "wallets.decide_deposit"
DEPOSITS = TwoPersonApproval(
    model=ManualDeposit,
    noun="deposit",
    permission=DECIDE,
    unique_constraint="deposit_reference_once",
    independence_message="Someone other than the person who entered it must confirm this",
    proposers=lambda row: (row.entered_by_id,),
    proposed_by=lambda user: Q(entered_by=user),
    closed_message=lambda row: (
        f"The deposit is {row.state}{f' by {row.decided_by}' if row.decided_by else ''},"
        " no longer Pending"
    ),
)

_MAX_REFERENCE_LENGTH, _MAX_NOTE_LENGTH = 100, 300


@dataclass(frozen=True, slots=True)
class IncomingPayment:
    """An incoming payment: recipient, amount and the bank's reference."""

    organisation_id: UUID
    member_id: UUID | None
    currency: str
    amount: Decimal
    reference: str
    note: str = ""


def book_deposit(
    *, payment: IncomingPayment, actor: Actor, announce: bool = False
) -> ManualDeposit:
    """Book a payment immediately; with `announce` (the command, unlike demo data) emit its event.

    Raises `InvalidRequest`, `InvalidCurrency`, `MemberClosed`, or `Conflict` when the reference is
    booked.
    """
    with transaction.atomic():
        return _complete(_create(payment, entered_by=None), None, actor, announce=announce)


def enter(*, payment: IncomingPayment, user: StaffUser) -> ManualDeposit:
    """Enter a payment; it is booked once another member of staff confirms it.

    Raises `Forbidden` and as `book_deposit`.
    """
    authorize_staff(user, ENTER, "You may not enter deposits")
    with transaction.atomic():
        return _create(payment, entered_by=user)


def confirm(*, deposit_id: UUID, user: StaffUser) -> ManualDeposit:
    """Confirm a deposit as the second person, and credit the wallet.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    actor = authorize_staff(user, DECIDE, "You may not confirm deposits")
    with transaction.atomic():
        return _complete(DEPOSITS.get_approvable(deposit_id, user), user, actor)


def reject(*, deposit_id: UUID, user: StaffUser, reason: str) -> ManualDeposit:
    """Reject a pending deposit; nothing is booked. Open to the person who entered it too.

    Raises as `confirm`, and `InvalidRequest` without a reason.
    """
    authorize_staff(user, DECIDE, "You may not reject deposits")
    reason = clean_text(reason, missing="Enter a reason for the rejection")
    with transaction.atomic():
        row = DEPOSITS.get_pending(deposit_id)
        return DEPOSITS.close(
            row, DepositStatus.FAILED, user, reason=reason, updated_at=timezone.now()
        )


def cancel(*, deposit_id: UUID, user: StaffUser) -> ManualDeposit:
    """Cancel one's own entry before it is confirmed; nothing is booked.

    Raises `Forbidden` for anyone else, `NotFound`, `StateConflict`.
    """
    authorize_staff(user, ENTER, "You may not cancel deposits")
    with transaction.atomic():
        row = DEPOSITS.get_pending(deposit_id)
        if row.entered_by_id != user.pk:
            raise Forbidden("Only the person who entered the deposit can cancel it")
        return DEPOSITS.close(row, DepositStatus.FAILED, user, updated_at=timezone.now())


def _create(payment: IncomingPayment, entered_by: StaffUser | None) -> ManualDeposit:
    facts = currencies().get(payment.currency)
    if facts is None:
        raise InvalidCurrency(list(currencies()))
    if not payment.amount.is_finite() or not 0 < payment.amount <= MAX_NUMBER:
        raise InvalidRequest.for_field(
            "amount", "amount must be above 0 and not above 1000000000000000"
        )
    if problem := decimals_error(payment.amount, facts.decimals):
        raise InvalidRequest.for_field("amount", f"amount {problem}")
    if not payment.reference.strip():
        raise InvalidRequest.for_field("reference", "reference is required")
    if len(payment.reference) > _MAX_REFERENCE_LENGTH:
        raise InvalidRequest.for_field(
            "reference", f"reference must have at most {_MAX_REFERENCE_LENGTH} characters"
        )
    if payment.member_id is not None:
        rows = Member.objects.filter(id=payment.member_id, organisation_id=payment.organisation_id)
        if not rows.exists():
            raise InvalidRequest.for_field(
                "member", "The member does not belong to the organisation"
            )
    if not hold_open(payment.member_id):
        raise MemberClosed
    taken = f"A deposit with reference {payment.reference} exists already"
    return DEPOSITS.propose(
        Conflict(taken, code="duplicate_reference", fields={"reference": taken}),
        organisation_id=payment.organisation_id,
        member_id=payment.member_id,
        currency_id=payment.currency,
        amount=payment.amount,
        reference=payment.reference,
        note=clean_text(payment.note, max_length=_MAX_NOTE_LENGTH),
        entered_by=entered_by,
    )


def _complete(
    row: ManualDeposit, user: StaffUser | None, actor: Actor, *, announce: bool = True
) -> ManualDeposit:
    completed = DEPOSITS.close(row, DepositStatus.COMPLETED, user, updated_at=timezone.now())
    credit(completed, actor)
    if announce:
        emit_deposit_event(completed.pk, "deposit.completed")
    return completed
