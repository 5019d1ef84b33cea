"""Finds the work that nobody was woken for. Rows own the work; this makes sure of it."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Least
from django.utils import timezone

from exchange.core import leases
from wallets.payouts.services import circuit
from wallets.payouts.services.paying import look_up, pay
from wallets.withdrawals.models import Payout, WithdrawalStatus

_BATCH = 100


def due_payouts(limit: int = _BATCH) -> list[tuple[UUID, WithdrawalStatus]]:
    """Withdrawals whose next step is due, the longest waiting first.

    While payouts are on hold only those are looked up whose outcome is open.
    """
    now = timezone.now()
    due = Payout.objects.filter(leases.free(now), next_step_at__lte=now)
    if not circuit.accepts_payouts():
        due = due.filter(
            withdrawal__status__in=(WithdrawalStatus.PROCESSING, WithdrawalStatus.UNKNOWN)
        )
    rows = due.order_by("next_step_at").values_list("withdrawal_id", "withdrawal__status")[:limit]
    return [(withdrawal_id, WithdrawalStatus(status)) for withdrawal_id, status in rows]


def claim_step(withdrawal_id: UUID, seen: WithdrawalStatus) -> bool:
    """Whether the due step is ours: two sweeps at once do not take the same one.

    `seen` is the status the step was chosen by. A payout that was put back to Approved since is
    left alone: its next step is to be sent, and that is claimed without planning it for later.
    """
    return leases.take_step(
        Payout.objects.filter(withdrawal_id=withdrawal_id, withdrawal__status=seen),
        "next_step_at",
        timedelta(seconds=settings.PAYOUT_LEASE_SECONDS),
    )


def take_step(withdrawal_id: UUID) -> None:
    """Does what is due for one withdrawal: pay it, or ask how its transfer stands.

    Nothing is done while the provider wants to be left alone.
    """
    if circuit.is_quiet():
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
        pay(withdrawal_id)
        return
    if not claim_step(withdrawal_id, WithdrawalStatus(status)):
        return
    if status == WithdrawalStatus.PROCESSING and not provider_id:
        pay(withdrawal_id)  # takes over the lease of a worker that died
    else:
        look_up(withdrawal_id)


def bring_forward(reference: str) -> UUID | None:
    """Makes the next look at a withdrawal due now (the provider hinted); its id, or None.

    Where no look is planned the hint is not news, but for a Failed one: it may have been paid. One
    that is due already stays so: who is about to take it must not find it planned for later.
    """
    row = Payout.objects.filter(withdrawal__reference=reference).first()
    if row is None:
        return None
    Payout.objects.filter(
        Q(next_step_at__isnull=False) | Q(withdrawal__status=WithdrawalStatus.FAILED),
        withdrawal_id=row.withdrawal_id,
    ).update(next_step_at=Least("next_step_at", timezone.now()))
    return row.withdrawal_id
