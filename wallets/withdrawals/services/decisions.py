"""What people decide about a Pending withdrawal: approve, reject, cancel, fill in the corridor.

`version` is the version of the withdrawal the person had before them. A page that has gone stale
is refused with what changed; of two decisions at once, one wins and the other is a conflict.

Flags (`selectors.review_flags`) are evaluated at the moment of the decision and stored with it. Who
approves what is flagged Critical writes why, each of two approvers for themselves.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.core import task_notifier
from exchange.core.actors import Actor
from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from exchange.core.text import clean_text
from exchange.staff.approvals import authorize_staff, require_independent
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import require_tenured
from wallets.withdrawals.commands import PayoutDetails
from wallets.withdrawals.models import Payout, Verdict, Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.approvals import approval_requirement, sole_approvals
from wallets.withdrawals.selectors.review_flags import ReviewFlag, critical_flags, review_flags
from wallets.withdrawals.services.payout_details import clean_phone, missing_fields, required_fields
from wallets.withdrawals.services.transitions import (
    SWEEP_PAYOUTS,
    build_conflict,
    change_status,
    lock_withdrawal,
    record_decision,
    release_escrow,
)

DECIDE = "wallets.decide_withdrawal"
_PENDING = (WithdrawalStatus.PENDING,)
# Constraints that refuse the approval of one person.
_DUAL_APPROVAL_CONSTRAINTS = {"withdrawal_approved_by_enough", "withdrawal_sole_approvals"}


def approve(
    *,
    withdrawal_id: UUID,
    version: int,
    approver: StaffUser,
    reason: str = "",
    override: str = "",
    seen_flags: Collection[str] | None = None,
) -> Withdrawal:
    """One approval. Where two are needed, the second one by another person makes the withdrawal
    Approved; else the first does. Then it is paid.

    Two are needed from the threshold of the currency on, when the totals of 24 hours reach a
    threshold (`approval_requirement`), and when it is more than this person may still approve
    alone. The first approval then counts as the first of two.

    `override` is the reason for approving despite a critical flag: stored with the approval,
    flagged or not, and never sent to the organisation. `seen_flags` are the codes of the flags
    shown to the approver; None outside of pages.

    Raises `Forbidden`, `WithdrawalNotFound`, `StateConflict` (not Pending, not the version seen,
    two are needed by what came meanwhile, or a flag that was not seen), `Rejected`
    (`corridor_incomplete`, `approver_not_independent`, `stop_not_overridden`), `InvalidRequest`
    for too long a reason or override.
    """
    actor = _require_decider(approver)
    reason, override = clean_text(reason), clean_text(override)
    with transaction.atomic():
        withdrawal = _lock_pending(withdrawal_id, version)
        first = withdrawal.first_approver_id
        require_independent(
            approver,
            withdrawal.requested_by,
            first,
            message="Somebody else must approve this withdrawal:"
            " you entered or approved it already",
        )
        if first is not None:
            require_tenured(first, approver.pk)
        missing = missing_fields(withdrawal.currency_id, withdrawal.bank)
        if missing:
            raise Rejected(
                f"Before approval, {withdrawal.currency_id} payouts need: {', '.join(missing)}",
                code="corridor_incomplete",
            )
        flags = _current_flags(withdrawal)
        _require_flags_seen(flags, seen_flags)
        _require_override(flags, override)
        record_decision(
            withdrawal,
            verdict=Verdict.APPROVE,
            actor=actor,
            reason=reason,
            flags=flags,
            override=override,
        )
        now = timezone.now()
        if first is None:
            changes: dict[str, Any] = {
                "first_approver": approver,
                "actioned_on": now,
                "actioned_by": actor.label,
            }
            if not _may_approve_alone(withdrawal, approver):
                return update_pending(withdrawal, approvals_needed=2, **changes)
        else:
            changes = {"second_approver": approver}
        Payout.objects.create(
            withdrawal_id=withdrawal.id, created_at=now, updated_at=now, next_step_at=now
        )
        try:
            approved = change_status(
                withdrawal, from_statuses=_PENDING, to=WithdrawalStatus.APPROVED, **changes
            )
        except IntegrityError as error:
            if violated_constraint(error) not in _DUAL_APPROVAL_CONSTRAINTS:
                raise
            # Another request came, or a figure changed, since `_may_approve_alone`.
            raise StateConflict(
                "By now two different people must approve it. Please look at it again"
            ) from error
        task_notifier.notify_after_commit(SWEEP_PAYOUTS)
    return approved


def reject(*, withdrawal_id: UUID, version: int, approver: StaffUser, reason: str) -> Withdrawal:
    """Refuses the request and gives the money back. A reason is required.

    Raises as `approve`, and `InvalidRequest` without a reason.
    """
    actor = _require_decider(approver)
    reason = clean_text(reason, missing="A rejection needs a reason")
    with transaction.atomic():
        withdrawal = _lock_pending(withdrawal_id, version)
        record_decision(
            withdrawal,
            verdict=Verdict.REJECT,
            actor=actor,
            reason=reason,
            flags=_current_flags(withdrawal),
        )
        release_escrow(withdrawal, actor=actor, memo=f"rejected: {reason}")
        return change_status(
            withdrawal,
            from_statuses=_PENDING,
            to=WithdrawalStatus.REJECTED,
            reason=reason,
            **_first_decision_fields(withdrawal, actor),
        )


def cancel(*, withdrawal_id: UUID, organisation_id: UUID, actor: Actor) -> Withdrawal:
    """The organisation takes its request back while it is Pending, and gets the money back.

    Raises `WithdrawalNotFound`, `StateConflict`.
    """
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id, organisation_id)
        if withdrawal.status != WithdrawalStatus.PENDING:
            raise StateConflict(
                f"Only a Pending withdrawal can be cancelled: it is {withdrawal.status}"
            )
        record_decision(withdrawal, verdict=Verdict.CANCEL, actor=actor)
        release_escrow(withdrawal, actor=actor, memo="cancelled")
        return change_status(
            withdrawal,
            from_statuses=_PENDING,
            to=WithdrawalStatus.CANCELLED,
            **_first_decision_fields(withdrawal, actor),
        )


def complete_payout_details(
    *, withdrawal_id: UUID, version: int, corridor: PayoutDetails, approver: StaffUser
) -> Withdrawal:
    """Staff add what the corridor needs and the client did not give. Counts as no entering.

    Raises as `approve`.
    """
    actor = _require_decider(approver)
    with transaction.atomic():
        withdrawal = _lock_pending(withdrawal_id, version)
        bank = withdrawal.bank
        for name, text in asdict(corridor).items():
            setattr(bank, name, text)
        if "recipient_phone" in required_fields(withdrawal.currency_id):
            bank.recipient_phone = clean_phone(corridor.recipient_phone)
        try:
            bank.full_clean(exclude=["document"])
        except ValidationError as error:
            raise InvalidRequest.from_validation_error(error) from error
        bank.save(update_fields=list(asdict(corridor)))
        record_decision(
            withdrawal,
            verdict=Verdict.CORRIDOR,
            actor=actor,
            details={"branch_code": corridor.branch_code},
        )
        return update_pending(withdrawal)


def update_pending(withdrawal: Withdrawal, **changes: Any) -> Withdrawal:
    """A change that leaves the withdrawal Pending but makes other open pages stale."""
    return change_status(withdrawal, from_statuses=_PENDING, to=WithdrawalStatus.PENDING, **changes)


def _lock_pending(withdrawal_id: UUID, version: int) -> Withdrawal:
    withdrawal = lock_withdrawal(withdrawal_id)
    if withdrawal.status != WithdrawalStatus.PENDING or withdrawal.version != version:
        raise build_conflict(withdrawal_id, _PENDING)
    return withdrawal


def _current_flags(withdrawal: Withdrawal) -> list[ReviewFlag]:
    return review_flags([withdrawal])[withdrawal.id]


def _require_flags_seen(flags: Collection[ReviewFlag], seen_flags: Collection[str] | None) -> None:
    """Nobody approves what was flagged since they looked."""
    new = [] if seen_flags is None else [str(flag) for flag in flags if flag.code not in seen_flags]
    if new:
        raise StateConflict(
            f"New flags since you opened the page: {' '.join(new)} Review them and try again",
            code="flagged_meanwhile",
        )


def _require_override(flags: Collection[ReviewFlag], override: str) -> None:
    stop = " ".join(flag.text for flag in critical_flags(flags))
    if stop and not override:
        raise Rejected(
            f"Flagged as critical. {stop} Enter a reason to approve it anyway",
            code="stop_not_overridden",
        )


def _may_approve_alone(withdrawal: Withdrawal, approver: StaffUser) -> bool:
    """Whether the approval of one person is enough. Later approvals of the same person wait."""
    if withdrawal.approvals_needed > 1 or approval_requirement(withdrawal.id).needed > 1:
        return False
    return sole_approvals(approver.pk, withdrawal.id).allows(withdrawal.amount)


def _require_decider(user: StaffUser) -> Actor:
    return authorize_staff(user, DECIDE, "You may not decide about withdrawals")


def _first_decision_fields(withdrawal: Withdrawal, actor: Actor) -> dict[str, Any]:
    """`actioned_on` and who are set by the first decision and stay."""
    if withdrawal.actioned_on is not None:
        return {}
    return {"actioned_on": timezone.now(), "actioned_by": actor.label}
