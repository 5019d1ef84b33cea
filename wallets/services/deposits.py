"""Money in: clearing → available. By the command at once, by staff with four eyes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.actors import Actor
from exchange.database import constraint_of
from exchange.errors import Conflict, Forbidden, InvalidRequest, NotFound, Refused
from exchange.models import Member, StaffUser
from exchange.numbers import LARGEST, decimals_of
from exchange.words import given
from wallets.errors import InvalidCurrency, StateConflict
from wallets.ledger import Leg, open_account, post_transfer, system_account
from wallets.models import AccountKind, Deposit, DepositStatus, TransferKind
from wallets.selectors.currencies import currencies

_LONGEST_REFERENCE, _LONGEST_NOTE = 100, 300


@dataclass(frozen=True, slots=True)
class Arrival:
    """Money that arrived: for whom, how much, and the bank's own reference of it."""

    organisation_id: UUID
    member_id: UUID | None
    currency: str
    amount: Decimal
    reference: str
    note: str = ""


def deposit(*, arrival: Arrival, actor: Actor) -> Deposit:
    """Books an arrival at once (command, demo world).

    Raises `InvalidRequest`, `InvalidCurrency`, or `Conflict` when the reference is booked.
    """
    with transaction.atomic():
        row = _enter(arrival, entered_by=None)
        _book(row, actor)
        _close(row, DepositStatus.CONFIRMED, decided_by=None)
    return row


def enter(*, arrival: Arrival, user: StaffUser) -> Deposit:
    """One member of staff enters an arrival; nothing moves until another one confirms it.

    Raises `Forbidden` and as `deposit`.
    """
    _allowed(user, "wallets.add_deposit", "You may not enter deposits")
    with transaction.atomic():
        return _enter(arrival, entered_by=user)


def confirm(*, deposit_id: UUID, user: StaffUser) -> Deposit:
    """Another member of staff confirms it, and the money is in the wallet.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Refused` (`approver_not_independent`).
    """
    actor = _allowed(user, "wallets.decide_deposit", "You may not confirm deposits")
    with transaction.atomic():
        row = _pending(deposit_id)
        if row.entered_by_id == user.pk:
            raise Refused(
                "Somebody else must confirm what you entered", code="approver_not_independent"
            )
        _book(row, actor)
        return _close(row, DepositStatus.CONFIRMED, decided_by=user)


def reject(*, deposit_id: UUID, user: StaffUser, reason: str) -> Deposit:
    """Closes an entered deposit without moving anything. Whoever entered it may do so too.

    Raises as `confirm`, and `InvalidRequest` without a reason.
    """
    _allowed(user, "wallets.decide_deposit", "You may not reject deposits")
    reason = given(reason, otherwise="A rejection needs a reason")
    with transaction.atomic():
        row = _pending(deposit_id)
        row.reason = reason
        return _close(row, DepositStatus.REJECTED, decided_by=user)


def _enter(arrival: Arrival, entered_by: StaffUser | None) -> Deposit:
    facts = currencies().get(arrival.currency)
    if facts is None:
        raise InvalidCurrency(list(currencies()))
    if not arrival.amount.is_finite() or not 0 < arrival.amount <= LARGEST:
        raise InvalidRequest("amount must be above 0 and not above 1000000000000000")
    if decimals_of(arrival.amount) > facts.decimals:
        raise InvalidRequest(f"amount must have at most {facts.decimals} decimals")
    if not arrival.reference.strip():
        raise InvalidRequest("reference is required")
    if len(arrival.reference) > _LONGEST_REFERENCE:
        raise InvalidRequest(f"reference must have at most {_LONGEST_REFERENCE} characters")
    if (
        arrival.member_id is not None
        and not Member.objects.filter(
            id=arrival.member_id, organisation_id=arrival.organisation_id
        ).exists()
    ):
        raise InvalidRequest("The member does not belong to the organisation")
    try:
        with transaction.atomic():
            return Deposit.objects.create(
                organisation_id=arrival.organisation_id,
                member_id=arrival.member_id,
                currency_id=arrival.currency,
                amount=arrival.amount,
                reference=arrival.reference,
                note=given(arrival.note, longest=_LONGEST_NOTE),
                entered_by=entered_by,
                created_at=timezone.now(),
            )
    except IntegrityError as error:
        if constraint_of(error) == "deposit_reference_once":
            raise Conflict(
                f"A deposit with reference {arrival.reference} exists already",
                code="duplicate_reference",
            ) from error
        raise


def _book(row: Deposit, actor: Actor) -> None:
    # The escrow account comes with the first money, so that a withdrawal finds both and locks
    # them together, in the order of their ids.
    available, _ = (
        open_account(
            row.currency_id,
            kind,
            organisation_id=row.organisation_id,
            member_id=row.member_id,
        )
        for kind in (AccountKind.AVAILABLE, AccountKind.ESCROW)
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


def _close(row: Deposit, status: DepositStatus, decided_by: StaffUser | None) -> Deposit:
    row.status = status
    row.decided_by = decided_by
    row.decided_at = timezone.now()
    row.save(update_fields=["status", "decided_by", "decided_at", "reason"])
    return row


def _pending(deposit_id: UUID) -> Deposit:
    row = Deposit.objects.select_for_update(of=("self",), no_key=True).filter(id=deposit_id).first()
    if row is None:
        raise NotFound("Deposit not found", code="deposit_not_found")
    if row.status != DepositStatus.PENDING:
        by = f" by {row.decided_by}" if row.decided_by else ""
        raise StateConflict(f"The deposit is {row.status}{by}, no longer Pending")
    return row


def _allowed(user: StaffUser, permission: str, message: str) -> Actor:
    if not user.may(permission):
        raise Forbidden(message)
    return Actor.staff(user.pk, str(user))
