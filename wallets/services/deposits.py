"""Money in: clearing → available. By the command at once, by staff with four eyes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction

from exchange.actors import Actor
from exchange.approvals import TwoPersonApproval, require_decider
from exchange.errors import Conflict, InvalidRequest
from exchange.models import Member, StaffUser
from exchange.numbers import LARGEST, decimals_of
from exchange.words import given
from wallets.errors import InvalidCurrency
from wallets.ledger import Leg, open_account, post_transfer, system_account
from wallets.models import AccountKind, Deposit, DepositStatus, TransferKind
from wallets.selectors.currencies import currencies

DEPOSITS = TwoPersonApproval(
    model=Deposit,
    noun="deposit",
    once="deposit_reference_once",
    independence="Somebody else must confirm what you entered",
    proposers=lambda row: (row.entered_by_id,),
)

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
        DEPOSITS.close(row, DepositStatus.CONFIRMED, None)
    return row


def enter(*, arrival: Arrival, user: StaffUser) -> Deposit:
    """One member of staff enters an arrival; nothing moves until another one confirms it.

    Raises `Forbidden` and as `deposit`.
    """
    require_decider(user, "wallets.add_deposit", "You may not enter deposits")
    return _enter(arrival, entered_by=user)


def confirm(*, deposit_id: UUID, user: StaffUser) -> Deposit:
    """Another member of staff confirms it, and the money is in the wallet.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Refused` (`approver_not_independent`).
    """
    actor = require_decider(user, "wallets.decide_deposit", "You may not confirm deposits")
    with transaction.atomic():
        row = DEPOSITS.get_approvable(deposit_id, user)
        _book(row, actor)
        return DEPOSITS.close(row, DepositStatus.CONFIRMED, user)


def reject(*, deposit_id: UUID, user: StaffUser, reason: str) -> Deposit:
    """Closes an entered deposit without moving anything. Whoever entered it may do so too.

    Raises as `confirm`, and `InvalidRequest` without a reason.
    """
    require_decider(user, "wallets.decide_deposit", "You may not reject deposits")
    reason = given(reason, otherwise="A rejection needs a reason")
    with transaction.atomic():
        row = DEPOSITS.get_pending(deposit_id)
        return DEPOSITS.close(row, DepositStatus.REJECTED, user, reason=reason)


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
    return DEPOSITS.propose(
        Conflict(
            f"A deposit with reference {arrival.reference} exists already",
            code="duplicate_reference",
        ),
        organisation_id=arrival.organisation_id,
        member_id=arrival.member_id,
        currency_id=arrival.currency,
        amount=arrival.amount,
        reference=arrival.reference,
        note=given(arrival.note, longest=_LONGEST_NOTE),
        entered_by=entered_by,
    )


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
