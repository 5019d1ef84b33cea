"""Reversals: a chargeback or a wrong deposit takes a completed deposit back, by two people.

`orders.holds.services.confirm_reversal` confirms one, together with cancelling the owner's open
buys where the wallet falls short; nothing else calls `confirm_reversal` of this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import Conflict, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.deposits.errors import DepositNotFound
from wallets.deposits.models import Deposit, DepositReversal, DepositStatus
from wallets.deposits.services.crediting import emit_deposit_event
from wallets.holds.services import lock_owner_alone
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    Posting,
    post_transfers,
    system_account,
    wallet_account,
)
from wallets.ledger.selectors.wallets import available_balance, reserved_balance
from wallets.receivables.services.repayments import ATTEMPTS

REVERSE = "wallets.reverse_deposit"
REVERSALS = TwoPersonApproval(
    model=DepositReversal,
    noun="deposit reversal",
    permission=REVERSE,
    unique_constraint="deposit_reversal_once",
)
_MAX_EXPLANATION = 500


@dataclass(frozen=True, slots=True)
class ReversalSplit:
    """How a reversal takes a deposit back: an amount of one account, then what open buys reserve,
    the rest as a debt.
    """

    source: AccountKind
    taken: Decimal
    reserved: Decimal
    owed: Decimal


# Makes an amount of the deposit's currency available, as far as the owner's open buys reserve it.
ReleaseReserved = Callable[[Deposit, Decimal, Actor], object]


def propose_reversal(*, deposit_id: UUID, explanation: str, user: StaffUser) -> DepositReversal:
    """Propose to take a completed deposit back.

    Raises `Forbidden`, `DepositNotFound`, `StateConflict` unless it is Completed, `Conflict` while
    another proposal is pending, and `InvalidRequest` without an explanation.
    """
    authorize_staff(user, REVERSE, "You may not reverse deposits")
    why = clean_text(explanation, missing="Enter an explanation", max_length=_MAX_EXPLANATION)
    _require_completed(get_or_raise(Deposit.objects.filter(pk=deposit_id), DepositNotFound()))
    return REVERSALS.propose(
        Conflict("A reversal of this deposit is pending already", code="reversal_pending"),
        deposit_id=deposit_id,
        explanation=why,
        proposed_by=user,
    )


def confirm_reversal(
    *, reversal_id: UUID, user: StaffUser, release_reserved: ReleaseReserved
) -> Deposit:
    """Take the deposit back, as the second person: what rests first, then what is available.

    Where both fall short, `release_reserved` is called. What the owner no longer has, the owner
    owes: it moves from the owner's receivable account, and later credits repay it. Raises
    `Forbidden`, `NotFound`, `StateConflict`, `Rejected`.
    """
    actor = authorize_staff(user, REVERSE, "You may not reverse deposits")
    with transaction.atomic():
        # The proposal names its deposit for good, and that its owner. The owner is locked first, so
        # that requests which are not complete yet see the debt.
        deposit_id = REVERSALS.get(reversal_id, lock=False).deposit_id
        lock_owner_alone(Deposit.objects.values_list("owner_id", flat=True).get(pk=deposit_id))
        deposit = Deposit.objects.select_for_update(no_key=True).get(pk=deposit_id)
        proposal = REVERSALS.get_approvable(reversal_id, user)
        REVERSALS.close(proposal, ApprovalStatus.APPROVED, user)
        Deposit.objects.filter(pk=deposit_id).update(
            status=DepositStatus.REVERSED, updated_at=timezone.now()
        )
        _post(deposit, actor, release_reserved)
        emit_deposit_event(deposit_id, "deposit.reversed")
        deposit.refresh_from_db()
    return deposit


def reject_reversal(*, reversal_id: UUID, reason: str, user: StaffUser) -> DepositReversal:
    """Reject a proposal; the deposit stays. Open to the proposer too. Raises as `confirm`."""
    authorize_staff(user, REVERSE, "You may not reverse deposits")
    why = clean_text(reason, missing="Enter a reason for the rejection")
    with transaction.atomic():
        proposal = REVERSALS.get_pending(reversal_id)
        return REVERSALS.close(proposal, ApprovalStatus.REJECTED, user, reason=why)


def describe_reversal_blocker(deposit: Deposit) -> str:
    """Return why the deposit cannot be reversed now; empty if it can."""
    if deposit.status == DepositStatus.COMPLETED:
        return ""
    return f"Only a Completed deposit can be reversed: it is {deposit.status}"


def _require_completed(deposit: Deposit) -> None:
    problem = describe_reversal_blocker(deposit)
    if problem:
        raise StateConflict(problem)


def split_reversal(deposit: Deposit) -> ReversalSplit:
    """Return from where a reversal would take the deposit back now, and what would be owed."""
    net: Decimal = deposit.net_amount
    if deposit.available_at is not None and deposit.cleared_at is None:
        return ReversalSplit(AccountKind.UNCLEARED, net, Decimal(0), Decimal(0))
    owner, currency = deposit.owner_id, deposit.currency_id
    taken = min(net, available_balance(owner, currency))
    reserved = min(net - taken, reserved_balance(owner, currency))
    return ReversalSplit(AccountKind.AVAILABLE, taken, reserved, net - taken - reserved)


def _post(deposit: Deposit, actor: Actor, release_reserved: ReleaseReserved) -> None:
    for _ in range(ATTEMPTS):
        # The wallet may be spent meanwhile: then what is missing is owed, at the next attempt.
        split = split_reversal(deposit)
        if split.reserved:
            release_reserved(deposit, split.taken + split.reserved + split.owed, actor)
            split = split_reversal(deposit)
        legs = [
            Leg(wallet_account(deposit, split.source), -split.taken),
            Leg(system_account(deposit.currency_id, AccountKind.CLEARING), deposit.net_amount),
        ]
        if split.owed:
            legs.append(Leg(wallet_account(deposit, AccountKind.RECEIVABLE), -split.owed))
        try:
            post_transfers(
                [
                    Posting(
                        kind=TransferKind.DEPOSIT_REVERSE,
                        reference=f"deposit:{deposit.pk}:reverse",
                        subject_id=deposit.pk,
                        actor=actor,
                        memo=deposit.reference,
                        legs=legs,
                    )
                ]
            )
        except InsufficientFunds:
            continue
        return
    raise InsufficientFunds(deposit.reference)
