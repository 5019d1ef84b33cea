"""Reversals: a chargeback or a wrong deposit takes a completed deposit back, by two people.

The reversal of a disputed deposit (`disputes`) holds its amount until it is decided.
`orders.freezing.services.confirm_reversal` confirms one, together with cancelling the owner's open
buys where the wallet falls short; nothing else calls `confirm_reversal` of this module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.alerts.services import resolve_alert
from wallets.deposits.errors import DepositNotFound, ReversalPending
from wallets.deposits.models import Deposit, DepositReversal, DepositStatus
from wallets.deposits.services.crediting import emit_deposit_event
from wallets.deposits.services.holding import release
from wallets.freezes.services import lock_owner_alone
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
ALERT_DISPUTED = "deposit_disputed"
REVERSALS = TwoPersonApproval(
    model=DepositReversal,
    noun="deposit reversal",
    permission=REVERSE,
    unique_constraint="deposit_reversal_once",
    tenured_alone=True,
)
MAX_EXPLANATION = 500


@dataclass(frozen=True, slots=True)
class ReversalSplit:
    """How a reversal takes its amount: from two accounts of the owner, then what open buys reserve,
    the rest as a debt.
    """

    uncleared: Decimal
    available: Decimal
    reserved: Decimal
    owed: Decimal


# Makes an amount of the deposit's currency available, as far as the owner's open buys reserve it.
ReleaseReserved = Callable[[Deposit, Decimal, Actor], object]


def propose_reversal(*, deposit_id: UUID, explanation: str, user: StaffUser) -> DepositReversal:
    """Propose to take back what remains of a completed deposit.

    Raises `Forbidden`, `DepositNotFound`, `StateConflict` unless it is Completed, `Conflict` while
    another proposal is pending, and `InvalidRequest` without an explanation.
    """
    authorize_staff(user, REVERSE, "You may not reverse deposits")
    why = clean_text(explanation, missing="Enter an explanation", max_length=MAX_EXPLANATION)
    with transaction.atomic():
        deposit = lock_completed(deposit_id)
        return REVERSALS.propose(
            ReversalPending(),
            deposit_id=deposit_id,
            amount=deposit.remaining,
            explanation=why,
            proposed_by=user,
        )


def confirm_reversal(
    *, reversal_id: UUID, user: StaffUser, release_reserved: ReleaseReserved
) -> Deposit:
    """Take the reversal's amount back, as the second person: what rests first, then available.

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
        _post(deposit, proposal, actor, release_reserved)
        taken_back = deposit.taken_back + proposal.amount
        whole = taken_back == deposit.net_amount
        Deposit.objects.filter(pk=deposit_id).update(
            status=DepositStatus.REVERSED if whole else DepositStatus.COMPLETED,
            reversed_amount=taken_back,
            updated_at=timezone.now(),
        )
        emit_deposit_event(deposit_id, "deposit.reversed")
        resolve_alert(ALERT_DISPUTED, subject=deposit.reference)
        deposit.refresh_from_db()
    return deposit


def reject_reversal(*, reversal_id: UUID, reason: str, user: StaffUser) -> DepositReversal:
    """Reject a proposal; the deposit stays, and what a dispute held is available again.

    Open to the proposer too. Raises as `confirm_reversal`.
    """
    actor = authorize_staff(user, REVERSE, "You may not reverse deposits")
    why = clean_text(reason, missing="Enter a reason for the rejection")
    with transaction.atomic():
        deposit_id = REVERSALS.get(reversal_id, lock=False).deposit_id
        deposit = Deposit.objects.select_for_update(no_key=True).get(pk=deposit_id)
        proposal = REVERSALS.get_pending(reversal_id)
        REVERSALS.close(proposal, ApprovalStatus.REJECTED, user, reason=why)
        if proposal.held is not None:
            release(deposit, proposal, actor)
            Deposit.objects.filter(pk=deposit_id).update(
                disputed_at=None, disputed_amount=None, updated_at=timezone.now()
            )
            emit_deposit_event(deposit_id, "deposit.dispute_closed")
            resolve_alert(ALERT_DISPUTED, subject=deposit.reference)
    return proposal


def lock_completed(deposit_id: UUID) -> Deposit:
    """Return the deposit, locked. Raises `DepositNotFound`, `StateConflict` unless Completed."""
    rows = Deposit.objects.select_for_update(no_key=True).filter(pk=deposit_id)
    deposit = get_or_raise(rows, DepositNotFound)
    problem = describe_reversal_blocker(deposit)
    if problem:
        raise StateConflict(problem)
    return deposit


def describe_reversal_blocker(deposit: Deposit) -> str:
    """Return why the deposit cannot be reversed now; empty if it can."""
    if deposit.status == DepositStatus.COMPLETED:
        return ""
    return f"Only a Completed deposit can be reversed: it is {deposit.status}"


def describe_proposal_blocker(deposit: Deposit) -> str:
    """Return why no reversal of the deposit can be proposed now; empty if one can."""
    blocker = describe_reversal_blocker(deposit)
    if not blocker and deposit.reversals.filter(status=ApprovalStatus.PENDING).exists():
        return ReversalPending.message
    return blocker


def split_reversal(deposit: Deposit, reversal: DepositReversal | None = None) -> ReversalSplit:
    """Return from where the reversal would take its amount now, and what would be owed.

    Without a reversal: one of all that remains.
    """
    amount: Decimal = deposit.remaining if reversal is None else reversal.amount
    uncleared = amount if deposit.is_resting else Decimal(0)
    if not uncleared and reversal is not None:
        uncleared = reversal.held or Decimal(0)
    owner, currency, left = deposit.owner_id, deposit.currency_id, amount - uncleared
    available = min(left, available_balance(owner, currency))
    reserved = min(left - available, reserved_balance(owner, currency))
    return ReversalSplit(uncleared, available, reserved, left - available - reserved)


def _post(
    deposit: Deposit, reversal: DepositReversal, actor: Actor, release_reserved: ReleaseReserved
) -> None:
    for _ in range(ATTEMPTS):
        # The wallet may be spent meanwhile: then what is missing is owed, at the next attempt.
        split = split_reversal(deposit, reversal)
        if split.reserved:
            release_reserved(deposit, split.available + split.reserved + split.owed, actor)
            split = split_reversal(deposit, reversal)
        taken = {
            AccountKind.UNCLEARED: split.uncleared,
            AccountKind.AVAILABLE: split.available,
            AccountKind.RECEIVABLE: split.owed,
        }
        legs = [
            Leg(wallet_account(deposit, kind), -amount) for kind, amount in taken.items() if amount
        ]
        clearing = system_account(deposit.currency_id, AccountKind.CLEARING)
        try:
            post_transfers(
                [
                    Posting(
                        kind=TransferKind.DEPOSIT_REVERSE,
                        reference=f"deposit:{deposit.pk}:reverse:{reversal.pk}",
                        subject_id=deposit.pk,
                        actor=actor,
                        memo=deposit.reference,
                        legs=[*legs, Leg(clearing, reversal.amount)],
                    )
                ]
            )
        except InsufficientFunds:
            continue
        return
    raise InsufficientFunds(deposit.reference)
