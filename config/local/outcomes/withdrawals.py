"""Outcomes of withdrawals: what staff decide, and what becomes of the payout at the bank."""

from uuid import UUID

from django.db import transaction

from config.local.outcomes.people import FIRST, SECOND, get_identity
from config.local.outcomes.provider import instruct, wait_until
from exchange.core.errors import DomainError, StateConflict
from exchange.core.querysets import get_or_raise
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution, resolutions
from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import IN_FLIGHT, Payout, Withdrawal, WithdrawalStatus
from wallets.withdrawals.services import decisions

_REASON = "Outcome set at the sandbox by the client"
_UNPAID = (WithdrawalStatus.APPROVED, *IN_FLIGHT)


def approve(withdrawal_id: UUID, organisation_id: UUID) -> None:
    """Approve a Pending withdrawal, by as many people as it needs.

    The sandbox keeps its payout open until `pay` or `fail`. Raises `WithdrawalNotFound`,
    `StateConflict`, and as `decisions.approve`.
    """
    withdrawal = _get(withdrawal_id, organisation_id, WithdrawalStatus.PENDING)
    instruct("hold", reference=withdrawal.reference)
    try:
        with transaction.atomic():
            for username in (FIRST, SECOND):
                person = get_identity(username)
                if person.pk == withdrawal.first_approver_id:
                    continue
                withdrawal = decisions.approve(
                    withdrawal_id=withdrawal_id,
                    version=withdrawal.version,
                    approver=person,
                    override=_REASON,
                )
                if withdrawal.status != WithdrawalStatus.PENDING:
                    break
    except DomainError:
        instruct("hold", reference=withdrawal.reference, held=False)
        raise


def reject(withdrawal_id: UUID, organisation_id: UUID, reason: str) -> None:
    """Reject a Pending withdrawal; the organisation sees the reason.

    Raises `WithdrawalNotFound`, `StateConflict`.
    """
    withdrawal = _get(withdrawal_id, organisation_id, WithdrawalStatus.PENDING)
    decisions.reject(
        withdrawal_id=withdrawal_id,
        version=withdrawal.version,
        approver=get_identity(FIRST),
        reason=reason or _REASON,
    )


def end(withdrawal_id: UUID, organisation_id: UUID, *, paid: bool) -> None:
    """Let the bank pay an approved withdrawal, or decline it.

    Posts the payout unless a worker has. Raises `WithdrawalNotFound`, `StateConflict`,
    `ProviderFailed`.
    """
    withdrawal = _get(withdrawal_id, organisation_id, *_UNPAID)
    status = "SUCCESSFUL" if paid else "FAILED"

    def is_ended() -> bool:
        execution.send_payout(withdrawal_id)
        instruct("settle", reference=withdrawal.reference, status=status)
        execution.check_status(withdrawal_id)
        withdrawal.refresh_from_db(fields=["status"])
        return withdrawal.status not in _UNPAID

    wait_until(is_ended)
    wanted = WithdrawalStatus.COMPLETED if paid else WithdrawalStatus.FAILED
    if withdrawal.status != wanted:
        raise StateConflict(f"The withdrawal did not become {wanted}: it is {withdrawal.status}")


def return_money(withdrawal_id: UUID, organisation_id: UUID) -> None:
    """Let the bank return a Completed withdrawal; two people reverse it.

    Raises `WithdrawalNotFound`, `StateConflict`, `ProviderFailed`, and as `resolutions`.
    """
    withdrawal = _get(withdrawal_id, organisation_id, WithdrawalStatus.COMPLETED)
    if not Payout.objects.get(withdrawal=withdrawal).returned:
        instruct("return", reference=withdrawal.reference)
        execution.check_status(withdrawal_id)
    proposal = resolutions.propose(
        withdrawal_id=withdrawal_id,
        action=ProposalAction.REVERSE,
        reason=_REASON,
        proposer=get_identity(FIRST),
    )
    resolutions.confirm(proposal_id=proposal.pk, resolver=get_identity(SECOND))


def _get(withdrawal_id: UUID, organisation_id: UUID, *wanted: WithdrawalStatus) -> Withdrawal:
    rows = Withdrawal.objects.filter(pk=withdrawal_id, organisation_id=organisation_id)
    withdrawal = get_or_raise(rows, WithdrawalNotFound)
    if withdrawal.status not in wanted:
        names = " or ".join(wanted)
        raise StateConflict(
            f"Only a withdrawal that is {names} allows this: it is {withdrawal.status}"
        )
    return withdrawal
