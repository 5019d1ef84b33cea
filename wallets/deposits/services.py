"""Money in: clearing → available. By the command at once, by staff with four eyes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.errors import Conflict, Forbidden, InvalidCurrency, InvalidRequest
from exchange.core.numbers import MAX_NUMBER, count_decimals
from exchange.core.text import clean_text
from exchange.participants.models import Member
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import StaffUser
from wallets.deposits.models import Deposit, DepositStatus
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account, wallet_account

ENTER, DECIDE = "wallets.add_deposit", "wallets.decide_deposit"
DEPOSITS = TwoPersonApproval(
    model=Deposit,
    noun="deposit",
    permission=DECIDE,
    unique_constraint="deposit_reference_once",
    independence_message="Somebody else must confirm what you entered",
    proposers=lambda row: (row.entered_by_id,),
    proposed_by=lambda user: Q(entered_by=user),
)

_LONGEST_REFERENCE, _LONGEST_NOTE = 100, 300


@dataclass(frozen=True, slots=True)
class IncomingPayment:
    """Money that arrived: for whom, how much, and the bank's own reference of it."""

    organisation_id: UUID
    member_id: UUID | None
    currency: str
    amount: Decimal
    reference: str
    note: str = ""


def book_deposit(*, payment: IncomingPayment, actor: Actor) -> Deposit:
    """Books an arrival at once (command, demo world).

    Raises `InvalidRequest`, `InvalidCurrency`, or `Conflict` when the reference is booked.
    """
    with transaction.atomic():
        row = _create(payment, entered_by=None)
        _book(row, actor)
        DEPOSITS.close(row, DepositStatus.CONFIRMED, None)
    return row


def enter(*, payment: IncomingPayment, user: StaffUser) -> Deposit:
    """One member of staff enters an arrival; nothing moves until another one confirms it.

    Raises `Forbidden` and as `deposit`.
    """
    authorize_staff(user, ENTER, "You may not enter deposits")
    return _create(payment, entered_by=user)


def confirm(*, deposit_id: UUID, user: StaffUser) -> Deposit:
    """Another member of staff confirms it, and the money is in the wallet.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    actor = authorize_staff(user, DECIDE, "You may not confirm deposits")
    with transaction.atomic():
        row = DEPOSITS.get_approvable(deposit_id, user)
        _book(row, actor)
        return DEPOSITS.close(row, DepositStatus.CONFIRMED, user)


def reject(*, deposit_id: UUID, user: StaffUser, reason: str) -> Deposit:
    """Closes an entered deposit without moving anything. Whoever entered it may do so too.

    Raises as `confirm`, and `InvalidRequest` without a reason.
    """
    authorize_staff(user, DECIDE, "You may not reject deposits")
    reason = clean_text(reason, missing="A rejection needs a reason")
    with transaction.atomic():
        row = DEPOSITS.get_pending(deposit_id)
        return DEPOSITS.close(row, DepositStatus.REJECTED, user, reason=reason)


def cancel(*, deposit_id: UUID, user: StaffUser) -> Deposit:
    """Take one's own entry back before anybody has confirmed it; nothing moves.

    Raises `Forbidden` for anybody else, `NotFound`, `StateConflict`.
    """
    authorize_staff(user, ENTER, "You may not cancel deposits")
    with transaction.atomic():
        row = DEPOSITS.get_pending(deposit_id)
        if row.entered_by_id != user.pk:
            raise Forbidden("Only the person who entered a deposit cancels it")
        return DEPOSITS.close(row, DepositStatus.CANCELLED, user)


def _create(payment: IncomingPayment, entered_by: StaffUser | None) -> Deposit:
    facts = currencies().get(payment.currency)
    if facts is None:
        raise InvalidCurrency(list(currencies()))
    if not payment.amount.is_finite() or not 0 < payment.amount <= MAX_NUMBER:
        raise InvalidRequest.for_field(
            "amount", "amount must be above 0 and not above 1000000000000000"
        )
    if count_decimals(payment.amount) > facts.decimals:
        raise InvalidRequest.for_field(
            "amount", f"amount must have at most {facts.decimals} decimals"
        )
    if not payment.reference.strip():
        raise InvalidRequest.for_field("reference", "reference is required")
    if len(payment.reference) > _LONGEST_REFERENCE:
        raise InvalidRequest.for_field(
            "reference", f"reference must have at most {_LONGEST_REFERENCE} characters"
        )
    if (
        payment.member_id is not None
        and not Member.objects.filter(
            id=payment.member_id, organisation_id=payment.organisation_id
        ).exists()
    ):
        raise InvalidRequest.for_field("member", "The member does not belong to the organisation")
    taken = f"A deposit with reference {payment.reference} exists already"
    return DEPOSITS.propose(
        Conflict(taken, code="duplicate_reference", fields={"reference": taken}),
        organisation_id=payment.organisation_id,
        member_id=payment.member_id,
        currency_id=payment.currency,
        amount=payment.amount,
        reference=payment.reference,
        note=clean_text(payment.note, max_length=_LONGEST_NOTE),
        entered_by=entered_by,
    )


def _book(row: Deposit, actor: Actor) -> None:
    # The escrow account comes with the first money, so that a withdrawal finds both and locks
    # them together, in the order of their ids.
    available, _ = (
        wallet_account(row, kind) for kind in (AccountKind.AVAILABLE, AccountKind.ESCROW)
    )
    post_transfer(
        kind=TransferKind.DEPOSIT,
        reference=f"deposit:{row.id}",
        subject_id=row.id,
        actor=actor,
        memo=row.reference,
        legs=[
            Leg(system_account(row.currency_id, AccountKind.CLEARING), -row.amount),
            Leg(available, row.amount),
        ],
    )
