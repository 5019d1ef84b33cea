"""Status changes of withdrawals; nothing else writes a status.

A change is compare-and-set: old status and version are in the WHERE, and any row count but one is
a conflict. The outbox event is written in the same transaction, which callers open.
"""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.utils import timezone

from exchange.core import task_notifier
from exchange.core.actors import Actor
from exchange.core.errors import StateConflict
from exchange.core.ids import uuid7
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, wallet_account
from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import Decision, Verdict, Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.review_flags import ReviewFlag, serialize_flags

SWEEP_PAYOUTS = "wallets.tasks.sweep_payouts"


def change_status(
    withdrawal: Withdrawal,
    *,
    from_statuses: tuple[WithdrawalStatus, ...],
    to: WithdrawalStatus,
    emit: bool = True,
    **changes: Any,
) -> Withdrawal:
    """Move `withdrawal` from the version the caller read to the status `to`; return the new row.

    Raises `StateConflict` if it has changed since.
    """
    rows = Withdrawal.objects.filter(
        id=withdrawal.id, status__in=from_statuses, version=withdrawal.version
    ).update(status=to, version=F("version") + 1, **changes)
    if rows != 1:
        raise build_conflict(withdrawal.id, from_statuses)
    # The event of each other status has its name (`event_types`).
    if emit and to != WithdrawalStatus.PENDING:
        emit_event(withdrawal.id, f"withdrawal.{to.lower()}")
    return Withdrawal.objects.select_related("bank").get(id=withdrawal.id)


def build_conflict(withdrawal_id: UUID, wanted: tuple[WithdrawalStatus, ...]) -> StateConflict:
    """Return the error for a withdrawal that has left the `wanted` statuses or its version."""
    now = Withdrawal.objects.get(id=withdrawal_id)
    if now.status in wanted:
        return StateConflict("The withdrawal has changed. Review it and try again")
    if not now.actioned_by:
        return StateConflict(f"The withdrawal is {now.status}, not {' or '.join(wanted)}")
    if now.first_approver_id is None:  # Rejected or Cancelled
        return StateConflict(f"Already {now.status.lower()} by {now.actioned_by}")
    since = "" if now.status == WithdrawalStatus.APPROVED else f"; now {now.status}"
    return StateConflict(f"Already approved by {now.actioned_by}{since}")


def emit_event(withdrawal_id: UUID, event_type: str) -> None:
    """Write an outbox event with the current state of the withdrawal."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT emit_withdrawal_event(%s, %s, %s, %s)",
            [uuid7(), withdrawal_id, event_type, settings.EVENTS_NAME_STAFF],
        )
    task_notifier.notify_after_commit(task_notifier.DELIVER_EVENTS)


def lock_withdrawal(withdrawal_id: UUID, organisation_id: UUID | None = None) -> Withdrawal:
    """Lock and return the withdrawal. Raises `WithdrawalNotFound`."""
    rows = Withdrawal.objects.select_for_update(of=("self",), no_key=True).select_related("bank")
    if organisation_id is not None:
        rows = rows.filter(organisation_id=organisation_id)
    withdrawal = rows.filter(id=withdrawal_id).first()
    if withdrawal is None:
        raise WithdrawalNotFound
    return withdrawal


def release_escrow(withdrawal: Withdrawal, *, actor: Actor, memo: str) -> None:
    """Release the full amount from escrow to available."""
    escrow, available = (
        wallet_account(withdrawal, kind) for kind in (AccountKind.ESCROW, AccountKind.AVAILABLE)
    )
    post_transfer(
        kind=TransferKind.WITHDRAWAL_RELEASE,
        reference=f"withdrawal:{withdrawal.id}:close",
        subject_id=withdrawal.id,
        actor=actor,
        memo=memo[:300],
        legs=[Leg(escrow, -withdrawal.amount), Leg(available, withdrawal.amount)],
    )


def record_decision(
    withdrawal: Withdrawal,
    *,
    verdict: Verdict,
    actor: Actor,
    reason: str = "",
    details: dict[str, Any] | None = None,
    flags: Collection[ReviewFlag] | None = None,
    override: str = "",
) -> None:
    """Store a decision with its actor, version and flags."""
    Decision.objects.create(
        withdrawal_id=withdrawal.id,
        verdict=verdict,
        actor=str(actor),
        actor_label=actor.label[:200],
        reason=reason,
        details=details or {},
        flags=None if flags is None else serialize_flags(flags),
        override=override,
        version=withdrawal.version,
        created_at=timezone.now(),
    )
