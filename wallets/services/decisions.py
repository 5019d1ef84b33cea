"""What people decide about a Pending withdrawal: approve, reject, cancel, fill in the corridor.

`version` is the version of the withdrawal the person had before them. A page that has gone stale
is refused with what changed; of two decisions at once, one wins and the other is a conflict.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from exchange import wake
from exchange.actors import Actor
from exchange.errors import Forbidden, InvalidRequest, Refused
from exchange.models import StaffUser
from exchange.words import given
from wallets.errors import StateConflict
from wallets.models import Payout, Verdict, Withdrawal, WithdrawalStatus
from wallets.services.corridors import missing_fields
from wallets.services.requests import Corridor
from wallets.services.transitions import SWEEP_PAYOUTS, conflict, lock, move, record, release

_PENDING = (WithdrawalStatus.PENDING,)


def approve(
    *, withdrawal_id: UUID, version: int, approver: StaffUser, reason: str = ""
) -> Withdrawal:
    """One approval. From the threshold of the currency on, the second one by another person
    makes the withdrawal Approved; below it the first does. Then it is paid.

    Raises `Forbidden`, `WithdrawalNotFound`, `StateConflict` (not Pending, or not the version
    seen), `Refused` (`corridor_incomplete`, `approver_not_independent`), `InvalidRequest` for too
    long a reason.
    """
    actor = _decider(approver)
    reason = given(reason)
    with transaction.atomic():
        withdrawal = _pending(withdrawal_id, version)
        if withdrawal.requested_by == str(actor) or withdrawal.first_approver_id == approver.pk:
            raise Refused(
                "Somebody else must approve this withdrawal: you entered or approved it already",
                code="approver_not_independent",
            )
        missing = missing_fields(withdrawal.currency_id, withdrawal.bank)
        if missing:
            raise Refused(
                f"Before approval, {withdrawal.currency_id} payouts need: {', '.join(missing)}",
                code="corridor_incomplete",
            )
        record(withdrawal, verdict=Verdict.APPROVE, actor=actor, reason=reason)
        now = timezone.now()
        if withdrawal.first_approver_id is None and withdrawal.approvals_needed > 1:
            return move_within_pending(
                withdrawal, first_approver=approver, actioned_on=now, actioned_by=actor.label
            )
        if withdrawal.first_approver_id is None:
            changes: dict[str, Any] = {
                "first_approver": approver,
                "actioned_on": now,
                "actioned_by": actor.label,
            }
        else:
            changes = {"second_approver": approver}
        Payout.objects.create(
            withdrawal_id=withdrawal.id, created_at=now, updated_at=now, next_step_at=now
        )
        approved = move(withdrawal, come_from=_PENDING, to=WithdrawalStatus.APPROVED, **changes)
        wake.after_commit(SWEEP_PAYOUTS)
    return approved


def reject(*, withdrawal_id: UUID, version: int, approver: StaffUser, reason: str) -> Withdrawal:
    """Refuses the request and gives the money back. A reason is required.

    Raises as `approve`, and `InvalidRequest` without a reason.
    """
    actor = _decider(approver)
    reason = given(reason, otherwise="A rejection needs a reason")
    with transaction.atomic():
        withdrawal = _pending(withdrawal_id, version)
        record(withdrawal, verdict=Verdict.REJECT, actor=actor, reason=reason)
        release(withdrawal, actor=actor, memo=f"rejected: {reason}")
        return move(
            withdrawal,
            come_from=_PENDING,
            to=WithdrawalStatus.REJECTED,
            reason=reason,
            **_first_decision(withdrawal, actor),
        )


def cancel(*, withdrawal_id: UUID, organisation_id: UUID, actor: Actor) -> Withdrawal:
    """The organisation takes its request back while it is Pending, and gets the money back.

    Raises `WithdrawalNotFound`, `StateConflict`.
    """
    with transaction.atomic():
        withdrawal = lock(withdrawal_id, organisation_id)
        if withdrawal.status != WithdrawalStatus.PENDING:
            raise StateConflict(
                f"Only a Pending withdrawal can be cancelled: it is {withdrawal.status}"
            )
        record(withdrawal, verdict=Verdict.CANCEL, actor=actor)
        release(withdrawal, actor=actor, memo="cancelled")
        return move(
            withdrawal,
            come_from=_PENDING,
            to=WithdrawalStatus.CANCELLED,
            **_first_decision(withdrawal, actor),
        )


def fill_in_corridor(
    *, withdrawal_id: UUID, version: int, corridor: Corridor, approver: StaffUser
) -> Withdrawal:
    """Staff add what the corridor needs and the client did not give. Counts as no entering.

    Raises as `approve`.
    """
    actor = _decider(approver)
    with transaction.atomic():
        withdrawal = _pending(withdrawal_id, version)
        bank = withdrawal.bank
        bank.branch_code = corridor.branch_code
        bank.recipient_first_name = corridor.recipient_first_name
        bank.recipient_last_name = corridor.recipient_last_name
        bank.recipient_email = corridor.recipient_email
        bank.recipient_phone = corridor.recipient_phone
        bank.recipient_address = corridor.recipient_address
        try:
            bank.full_clean(exclude=["document"])
        except ValidationError as error:
            raise InvalidRequest(" ".join(error.messages)) from error
        bank.save(
            update_fields=[
                "branch_code",
                "recipient_first_name",
                "recipient_last_name",
                "recipient_email",
                "recipient_phone",
                "recipient_address",
            ]
        )
        record(
            withdrawal,
            verdict=Verdict.CORRIDOR,
            actor=actor,
            details={"branch_code": corridor.branch_code},
        )
        return move_within_pending(withdrawal)


def move_within_pending(withdrawal: Withdrawal, **changes: Any) -> Withdrawal:
    """A change that leaves the withdrawal Pending but makes other open pages stale."""
    return move(withdrawal, come_from=_PENDING, to=WithdrawalStatus.PENDING, **changes)


def _pending(withdrawal_id: UUID, version: int) -> Withdrawal:
    withdrawal = lock(withdrawal_id)
    if withdrawal.status != WithdrawalStatus.PENDING or withdrawal.version != version:
        raise conflict(withdrawal_id, _PENDING)
    return withdrawal


def _decider(user: StaffUser) -> Actor:
    if not user.may("wallets.decide_withdrawal"):
        raise Forbidden("You may not decide about withdrawals")
    return Actor.staff(user.pk, str(user))


def _first_decision(withdrawal: Withdrawal, actor: Actor) -> dict[str, Any]:
    """`actioned_on` and who are set by the first decision and stay."""
    if withdrawal.actioned_on is not None:
        return {}
    return {"actioned_on": timezone.now(), "actioned_by": actor.label}
