"""Sweep of due payouts: the rows are the work queue, notifications only speed it up."""

from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from exchange.core import leases
from wallets.freezes.selectors import block_expression
from wallets.payouts.services import circuit
from wallets.payouts.services.execution import check_status, send_payout
from wallets.payouts.services.payout_row import PayoutRow
from wallets.providers.base import WebhookNotification
from wallets.withdrawals.models import IN_FLIGHT, Payout, WithdrawalStatus
from wallets.withdrawals.services.transitions import SWEEP_PAYOUTS

_BATCH = 100


def due_payouts(limit: int = _BATCH) -> list[tuple[UUID, WithdrawalStatus]]:
    """Return the withdrawals whose next step is due, oldest first.

    While payouts are on hold, only those in flight; the same for an owner who is frozen or owes.
    """
    now = timezone.now()
    due = Payout.objects.alias(block=block_expression("withdrawal__")).filter(
        leases.available(now),
        ~Q(withdrawal__status=WithdrawalStatus.APPROVED) | Q(block=None),
        next_step_at__lte=now,
    )
    if not circuit.accepts_payouts():
        due = due.filter(withdrawal__status__in=IN_FLIGHT)
    rows = due.order_by("next_step_at").values_list("withdrawal_id", "withdrawal__status")[:limit]
    return [(withdrawal_id, WithdrawalStatus(status)) for withdrawal_id, status in rows]


def process_payout(withdrawal_id: UUID) -> None:
    """Run the due step of a withdrawal: send its payout or check its status.

    Does nothing during a Retry-After of the provider.
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
    if not PayoutRow(withdrawal_id).claim_step(WithdrawalStatus(status)):
        return
    if status == WithdrawalStatus.PROCESSING and not provider_id:
        send_payout(withdrawal_id)  # takes over an expired lease
    else:
        check_status(withdrawal_id)


def expedite_transfer(notification: WebhookNotification) -> str | None:
    """Check the payout that a webhook names now; return the task to notify, if any."""
    if not notification.reference or expedite(notification.reference) is None:
        return None
    return SWEEP_PAYOUTS


def expedite(reference: str) -> UUID | None:
    """Make the next status check of a withdrawal due now; return its id, or None if unknown."""
    row = Payout.objects.filter(withdrawal__reference=reference).first()
    if row is None:
        return None
    PayoutRow(row.withdrawal_id).expedite()
    return row.withdrawal_id
