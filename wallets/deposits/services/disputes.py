"""Disputes: what a payer's bank demands back is held at once, until two people decide.

The provider's later word about a payment opens a dispute, or a person who learned of it elsewhere,
such as by e-mail. In one transaction the amount moves to uncleared, as far as the wallet has it,
the deposit shows it, the organisation and staff are notified, and its reversal is proposed.
Confirming the reversal takes the money, rejecting it releases the money (`reversals`).
"""

from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import currencies, format_money
from exchange.core.errors import InvalidRequest
from exchange.core.numbers import decimals_error
from exchange.core.text import clean_text
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.alerts.services import raise_alert
from wallets.deposits.errors import ReversalPending
from wallets.deposits.models import Deposit, DepositReversal
from wallets.deposits.services.crediting import emit_deposit_event
from wallets.deposits.services.holding import hold, release
from wallets.deposits.services.reversals import (
    ALERT_DISPUTED,
    MAX_EXPLANATION,
    REVERSALS,
    REVERSE,
    lock_completed,
)
from wallets.ledger.selectors.wallets import available_balance

_MAX_REASON = 300


def mark_disputed(
    *, deposit_id: UUID, amount: Decimal | None = None, explanation: str, user: StaffUser
) -> DepositReversal:
    """Open a dispute of `amount`, by default of all that remains; another person decides.

    Raises `Forbidden`, `DepositNotFound`, `StateConflict` unless the deposit is Completed,
    `Conflict` while a reversal is pending, and `InvalidRequest`.
    """
    actor = authorize_staff(user, REVERSE, "You may not reverse deposits")
    why = clean_text(explanation, missing="Enter an explanation", max_length=MAX_EXPLANATION)
    with transaction.atomic():
        deposit = lock_completed(deposit_id)
        disputed = deposit.remaining if amount is None else amount
        left = format_money(deposit.remaining, deposit.currency_id)
        problem = f"must be above 0 and at most {left}"
        if disputed.is_finite() and 0 < disputed <= deposit.remaining:
            problem = decimals_error(disputed, currencies()[deposit.currency_id].decimals)
        if problem:
            raise InvalidRequest.for_field("amount", f"amount {problem}")
        return _open(deposit, disputed, why, actor, user)


def dispute_by_provider(deposit: Deposit, amount: Decimal, explanation: str, actor: Actor) -> bool:
    """Open a dispute of `amount`, in total, of a locked deposit; return whether it is a new one.

    A dispute of less, and a proposal that a person made of another amount, are replaced.
    """
    disputed = min(amount, deposit.net_amount) - deposit.taken_back
    pending = deposit.reversals.filter(status=ApprovalStatus.PENDING).first()
    if pending is not None and pending.held is not None and pending.amount >= disputed:
        return False
    if disputed <= 0:
        return False
    if pending is not None and pending.held is None and pending.amount == disputed:
        _hold(deposit, pending, disputed, actor)
        return True
    if pending is not None:
        reason = f"Replaced: {explanation}"[:_MAX_REASON]
        REVERSALS.close(pending, ApprovalStatus.REJECTED, None, reason=reason)
        release(deposit, pending, actor)
    _open(deposit, disputed, explanation, actor, None)
    return True


def _open(
    deposit: Deposit, amount: Decimal, why: str, actor: Actor, user: StaffUser | None
) -> DepositReversal:
    proposal = REVERSALS.propose(
        ReversalPending(), deposit_id=deposit.pk, amount=amount, explanation=why, proposed_by=user
    )
    _hold(deposit, proposal, amount, actor)
    return proposal


def _hold(deposit: Deposit, proposal: DepositReversal, amount: Decimal, actor: Actor) -> None:
    held = hold(deposit, proposal, amount, actor)
    now = timezone.now()
    Deposit.objects.filter(pk=deposit.pk).update(
        disputed_at=now, disputed_amount=amount, updated_at=now
    )
    emit_deposit_event(deposit.pk, "deposit.disputed")
    disputed, kept, left = (
        format_money(each, deposit.currency_id)
        for each in (
            amount,
            amount if deposit.is_resting else held,
            available_balance(deposit.owner_id, deposit.currency_id),
        )
    )
    raise_alert(
        ALERT_DISPUTED,
        subject=deposit.reference,
        message=f"Deposit {deposit.reference} of {deposit.member or deposit.organisation} was"
        f" charged back: {disputed}, of which {kept} is held; {left} is left in the wallet",
    )
