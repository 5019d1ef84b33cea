"""Decisions on a Pending withdrawal: approve, reject, cancel, complete payout details.

`version` is the version of the withdrawal that was shown. A decision on another version is a
conflict, so that of two concurrent decisions one wins.

Flags (`selectors.review_flags`) are evaluated at the moment of the decision and stored with it.
Each approver of a withdrawal with critical flags enters their own reason.
"""

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
from exchange.core.text import REASON_RULE, clean_text, is_reason
from exchange.staff.approvals import authorize_staff, require_independent
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import require_tenured
from wallets.banks.payout_details import PayoutDetails, clean_phone, missing_fields, required_fields
from wallets.freezes.errors import AccountFrozen
from wallets.withdrawals.models import Payout, Verdict, Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.approvals import approval_requirement, sole_approvals
from wallets.withdrawals.selectors.review_flags import (
    ReviewFlag,
    critical_flags,
    is_frozen,
    review_flags,
)
from wallets.withdrawals.services.transitions import (
    SWEEP_PAYOUTS,
    build_conflict,
    change_status,
    lock_withdrawal,
    record_decision,
    release_escrow,
)

DECIDE = "wallets.decide_withdrawal"
FROZEN = "The account is frozen. It can be approved once two people have lifted the freeze"
_PENDING = (WithdrawalStatus.PENDING,)
# Constraints violated when one approval is not enough.
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
    """Record an approval; the last required one makes the withdrawal Approved and queues it.

    Two approvals are required from the threshold of the currency on, when a 24-hour total reaches
    a threshold (`approval_requirement`), and above what the approver may still approve alone.

    `override` is the reason for approving despite a critical flag: stored with the approval,
    flagged or not, and never sent to the organisation. `seen_flags` are the codes of the flags
    shown to the approver; None outside of pages.

    Raises `Forbidden`, `WithdrawalNotFound`, `StateConflict` (not Pending, another version, a
    second approval now required, or a flag not seen), `Rejected` (`corridor_incomplete`,
    `approver_not_independent`, `account_frozen`, `critical_flag_not_overridden`),
    `InvalidRequest` (reason or override too long).
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
            message="A second person must approve this withdrawal:"
            " you already requested or approved it",
        )
        if first is not None:
            require_tenured(first, approver.pk)
        missing = missing_fields(withdrawal.currency_id, withdrawal.bank)
        if missing:
            raise Rejected(
                f"{withdrawal.currency_id} payouts require: {', '.join(missing)}",
                code="corridor_incomplete",
            )
        flags = _current_flags(withdrawal)
        if is_frozen(flags):
            raise Rejected(FROZEN, code=AccountFrozen.code)
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
            # A new request or a settings change since `_may_approve_alone`.
            raise StateConflict(
                "Two approvals are now required. Review the withdrawal and try again"
            ) from error
        task_notifier.notify_after_commit(SWEEP_PAYOUTS)
    return approved


def reject(*, withdrawal_id: UUID, version: int, approver: StaffUser, reason: str) -> Withdrawal:
    """Reject the request and release its escrow; a reason is required.

    Raises as `approve`, and `InvalidRequest` without a reason.
    """
    actor = _require_decider(approver)
    reason = clean_text(reason, missing="Enter a reason for the rejection")
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
    """Cancel a Pending request on behalf of its organisation and release its escrow.

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
    """Store the payout details of the corridor; does not count as requesting the withdrawal.

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
            verdict=Verdict.ADD_DETAILS,
            actor=actor,
            details={"branch_code": corridor.branch_code},
        )
        return update_pending(withdrawal)


def update_pending(withdrawal: Withdrawal, **changes: Any) -> Withdrawal:
    """Change a Pending withdrawal and its version, which outdates open pages."""
    return change_status(withdrawal, from_statuses=_PENDING, to=WithdrawalStatus.PENDING, **changes)


def _lock_pending(withdrawal_id: UUID, version: int) -> Withdrawal:
    withdrawal = lock_withdrawal(withdrawal_id)
    if withdrawal.status != WithdrawalStatus.PENDING or withdrawal.version != version:
        raise build_conflict(withdrawal_id, _PENDING)
    return withdrawal


def _current_flags(withdrawal: Withdrawal) -> list[ReviewFlag]:
    return review_flags([withdrawal])[withdrawal.id]


def _require_flags_seen(flags: Collection[ReviewFlag], seen_flags: Collection[str] | None) -> None:
    """Reject an approval with flags that were not shown."""
    new = [] if seen_flags is None else [str(flag) for flag in flags if flag.code not in seen_flags]
    if new:
        raise StateConflict(
            f"New flags since you opened the page: {' '.join(new)} Review them and try again",
            code="flagged_meanwhile",
        )


def _require_override(flags: Collection[ReviewFlag], override: str) -> None:
    stop = " ".join(flag.text for flag in critical_flags(flags))
    if stop and override and not is_reason(override):
        raise Rejected(REASON_RULE, code="critical_flag_not_overridden")
    if stop and not override:
        raise Rejected(
            f"Flagged as critical. {stop} Enter a reason to approve it anyway",
            code="critical_flag_not_overridden",
        )


def _may_approve_alone(withdrawal: Withdrawal, approver: StaffUser) -> bool:
    """Return whether one approval is enough; serializes approvals of the same person."""
    if withdrawal.approvals_needed > 1 or approval_requirement(withdrawal.id).needed > 1:
        return False
    return sole_approvals(approver.pk, withdrawal.id).allows(withdrawal.amount)


def _require_decider(user: StaffUser) -> Actor:
    return authorize_staff(user, DECIDE, "You do not have permission to approve withdrawals")


def _first_decision_fields(withdrawal: Withdrawal, actor: Actor) -> dict[str, Any]:
    """Return `actioned_on` and `actioned_by`, which only the first decision sets."""
    if withdrawal.actioned_on is not None:
        return {}
    return {"actioned_on": timezone.now(), "actioned_by": actor.label}
