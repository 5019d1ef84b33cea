"""Manual deposits. Immediate by the command, under dual control by staff."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone
from django.utils.module_loading import import_string

from exchange.core.actors import Actor
from exchange.core.currencies import format_money
from exchange.core.errors import Forbidden, InvalidRequest
from exchange.core.text import clean_text, has_visible_characters
from exchange.participants.errors import MemberClosed
from exchange.participants.models import Member
from exchange.participants.services.members import hold_open
from exchange.staff.approvals import TwoPersonApproval, authorize_staff, describe_decided
from exchange.staff.models import StaffUser
from exchange.staff.plausibility import explain, explain_approval
from wallets.deposits.models import Deposit, DepositStatus, ManualDeposit
from wallets.deposits.services.crediting import credit, emit_deposit_event
from wallets.ledger.models import Account
from wallets.ledger.plausible_amounts import (
    check_amount,
    describe_taken_reference,
    find_amount_notices,
    find_reference,
)

ENTER, DECIDE = "wallets.add_deposit", "wallets.decide_deposit"
DEPOSITS = TwoPersonApproval(
    model=ManualDeposit,
    noun="deposit",
    permission=DECIDE,
    unique_constraint=("deposit_reference_once", "deposit_reference_key_once"),
    independence_message="Someone other than the person who entered it must confirm this",
    proposers=lambda row: (row.entered_by_id,),
    proposed_by=lambda user: Q(entered_by=user),
    closed_message=lambda row: describe_decided(row.state, row.decided_by),
)

_ANOTHER = "Another deposit"
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
    _check_entry(payment)
    with transaction.atomic():
        return _complete(_create(payment, entered_by=None), None, actor, announce=announce)


def enter(*, payment: IncomingPayment, user: StaffUser) -> ManualDeposit:
    """Enter a payment; it is booked once another member of staff confirms it.

    The note is the reason for what is unusual (`find_payment_notices`). Raises `Forbidden` and as
    `book_deposit`.
    """
    authorize_staff(user, ENTER, "You may not enter deposits")
    explain(find_payment_notices(payment), payment.note, field="note")
    with transaction.atomic():
        return _create(payment, entered_by=user)


def confirm(*, deposit_id: UUID, user: StaffUser, reason: str = "") -> ManualDeposit:
    """Confirm a deposit as the second person, and credit the wallet.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `InvalidRequest` (`reason_required` for what is
    unusual), `Rejected` (`approver_not_independent`).
    """
    actor = authorize_staff(user, DECIDE, "You may not confirm deposits")
    with transaction.atomic():
        row = DEPOSITS.get_approvable(deposit_id, user)
        # A note that was no reason yet explains nothing to the second person, who does it alone.
        why = explain_approval(notices_of(row), reason, first=None)
        return _complete(row, user, actor, approval_reason=why)


def notices_of(deposit: Deposit) -> list[str]:
    """Return what is unusual about a pending deposit."""
    return _find_notices(
        deposit.organisation_id,
        deposit.member_id,
        deposit.currency_id,
        deposit.amount,
        but=[deposit.pk],
    )


def find_payment_notices(payment: IncomingPayment) -> list[str]:
    """Return what is unusual about a payment: it seems to be entered already, or is very large.

    Raises as `enter` for one that cannot be entered, and for a reference that is taken.
    """
    _check_entry(payment)
    return _find_notices(
        payment.organisation_id, payment.member_id, payment.currency, payment.amount
    )


def _find_notices(
    organisation_id: UUID,
    member_id: UUID | None,
    currency: str,
    amount: Decimal,
    *,
    but: Collection[UUID] = (),
) -> list[str]:
    owner = member_id or organisation_id
    others = Deposit.objects.filter(owner_id=owner, currency=currency).exclude(pk__in=but)
    found = find_amount_notices(
        amount,
        currency,
        "deposit",
        earlier=others.exclude(status=DepositStatus.FAILED),
        done=others.filter(status=DepositStatus.COMPLETED),
        whose="deposit of this owner",
    )
    return [*found, *_find_holding_notices(amount, currency)]


def _find_holding_notices(amount: Decimal, currency: str) -> list[str]:
    """Return a notice about an amount above what the provider held when its balance was read last.

    Without such a balance, above what all wallets of the currency hold together.
    """
    find: Callable[[str], tuple[Decimal, datetime] | None] = import_string(
        settings.PROVIDER_BALANCE
    )
    read = find(currency)
    if read is not None:
        held, when = read
        whose = f"the provider held at {when:%Y-%m-%d %H:%M} UTC"
    else:
        wallets = Account.objects.filter(asset=currency, owner_id__isnull=False)
        held = wallets.aggregate(held=Sum("balance"))["held"] or Decimal(0)
        whose = f"all wallets in {currency} hold together"
    if amount <= held or (read is None and not held):
        return []
    return [
        f"{format_money(amount, currency)} is more than {whose}, {format_money(held, currency)}."
        " Check that the provider holds it"
    ]


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


def _check_entry(payment: IncomingPayment) -> None:
    check_amount("amount", payment.currency, payment.amount)
    if not has_visible_characters(payment.reference):
        raise InvalidRequest.for_field("reference", "Enter the bank's reference")
    if len(payment.reference) > _MAX_REFERENCE_LENGTH:
        raise InvalidRequest.for_field("reference", f"At most {_MAX_REFERENCE_LENGTH} characters")
    booked = ManualDeposit.objects.exclude(status=DepositStatus.FAILED)
    holder = find_reference(booked, payment.reference)
    if holder is not None:
        raise describe_taken_reference(_ANOTHER, holder)


def _create(payment: IncomingPayment, entered_by: StaffUser | None) -> ManualDeposit:
    if payment.member_id is not None:
        rows = Member.objects.filter(id=payment.member_id, organisation_id=payment.organisation_id)
        if not rows.exists():
            raise InvalidRequest.for_field(
                "member", "The member does not belong to the organisation"
            )
    if not hold_open(payment.member_id):
        raise MemberClosed
    return DEPOSITS.propose(
        describe_taken_reference(_ANOTHER),
        organisation_id=payment.organisation_id,
        member_id=payment.member_id,
        currency_id=payment.currency,
        amount=payment.amount,
        reference=payment.reference,
        note=clean_text(payment.note, max_length=_MAX_NOTE_LENGTH),
        entered_by=entered_by,
    )


def _complete(
    row: ManualDeposit,
    user: StaffUser | None,
    actor: Actor,
    *,
    announce: bool = True,
    approval_reason: str = "",
) -> ManualDeposit:
    completed = DEPOSITS.close(
        row,
        DepositStatus.COMPLETED,
        user,
        updated_at=timezone.now(),
        approval_reason=approval_reason,
    )
    credit(completed, actor)
    if announce:
        emit_deposit_event(completed.pk, "deposit.completed")
    return completed
