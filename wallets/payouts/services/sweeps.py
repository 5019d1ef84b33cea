"""Finds the work that nobody was woken for. Rows own the work; this makes sure of it."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from exchange.core import leases
from wallets.payouts.services import circuit
from wallets.payouts.services.execution import check_status, send_payout
from wallets.payouts.services.payout_row import PayoutRow
from wallets.withdrawals.models import Payout, WithdrawalStatus

_BATCH = 100


def due_payouts(limit: int = _BATCH) -> list[tuple[UUID, WithdrawalStatus]]:
    """Withdrawals whose next step is due, the longest waiting first.

    While payouts are on hold only those are looked up whose outcome is open.
    """
    now = timezone.now()
    due = Payout.objects.filter(leases.available(now), next_step_at__lte=now)
    if not circuit.accepts_payouts():
        due = due.filter(
            withdrawal__status__in=(WithdrawalStatus.PROCESSING, WithdrawalStatus.UNKNOWN)
        )
    rows = due.order_by("next_step_at").values_list("withdrawal_id", "withdrawal__status")[:limit]
    return [(withdrawal_id, WithdrawalStatus(status)) for withdrawal_id, status in rows]


def claim_step(withdrawal_id: UUID, expected_status: WithdrawalStatus) -> bool:
    """Whether the due step is ours: two sweeps at once do not take the same one.

    `expected_status` is the status the step was chosen by. A payout requeued as Approved since is
    skipped: its next step is to be sent, and `send_payout` claims that itself.
    """
    return PayoutRow(withdrawal_id).claim_step(expected_status)


def process_payout(withdrawal_id: UUID) -> None:
    """Does what is due for one withdrawal: pay it, or ask how its transfer stands.

    Nothing is done while the provider wants to be left alone.
    """
    if circuit.is_backing_off():
        return
    row = (
        Payout.objects.filter(withdrawal_id=withdrawal_id)
        .values_list("withdrawal__status", "provider_id")
        .first()
    )
    if row is None:
        return
    status, provider_id = row
    if status == WithdrawalStatus.APPROVED:
        send_payout(withdrawal_id)
        return
    if not claim_step(withdrawal_id, WithdrawalStatus(status)):
        return
    if status == WithdrawalStatus.PROCESSING and not provider_id:
        send_payout(withdrawal_id)  # takes over the lease of a worker that died
    else:
        check_status(withdrawal_id)


def expedite(reference: str) -> UUID | None:
    """Make the next look at a withdrawal due now (the provider hinted); its id, or None."""
    row = Payout.objects.filter(withdrawal__reference=reference).first()
    if row is None:
        return None
    PayoutRow(row.withdrawal_id).expedite()
    return row.withdrawal_id
