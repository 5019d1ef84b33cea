"""The one place that writes a payout after its approval: each method is one step of its life.

Every step is one UPDATE that sets all columns the step is about. Steps of a worker compare its
lease; the others are made under the lock of the withdrawal.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Least
from django.utils import timezone

from exchange.core import leases
from wallets.providers.base import TransferRecord
from wallets.withdrawals.models import Payout, WithdrawalStatus

# How long after the first look the next ones come, while the provider has not decided.
_CHECK_DELAYS = (5, 10, 20, 40, 60, 120, 300, 600)
_MONITORING_INTERVAL = timedelta(hours=12)
# A transfer the provider shows is not lost, however often it was not found before.
_RESET_NOT_FOUND: dict[str, Any] = {
    "not_found_count": 0,
    "first_not_found_at": None,
    "last_not_found_at": None,
}


@dataclass(frozen=True, slots=True)
class PayoutRow:
    """The payout of one withdrawal."""

    withdrawal_id: UUID

    @property
    def query(self) -> QuerySet[Payout]:
        """The row."""
        return Payout.objects.filter(withdrawal_id=self.withdrawal_id)

    # --- Posting --------------------------------------------------------------------------------

    def claim(self) -> str | None:
        """Lease the row for one order; return the lease's token, None when somebody has it."""
        now = timezone.now()
        lease = now + timedelta(seconds=settings.PAYOUT_LEASE_SECONDS)
        return leases.acquire(
            self.query, prefix="claim_", until=lease, next_step_at=lease, updated_at=now
        )

    def claim_step(self, expected_status: WithdrawalStatus) -> bool:
        """Claim the due step of a withdrawal in `expected_status`; False when already claimed."""
        return leases.claim_due(
            self.query.filter(withdrawal__status=expected_status),
            "next_step_at",
            timedelta(seconds=settings.PAYOUT_LEASE_SECONDS),
        )

    def mark_posted(self, token: str) -> bool:
        """Note that the order is about to be posted; False when the lease is nearly over."""
        now = timezone.now()
        marked = self.query.filter(
            leases.leased(now + timedelta(seconds=settings.PAYOUT_LEASE_SECONDS / 2)),
            claimed_by=token,
            posted_at=None,
        ).update(posted_at=now, updated_at=now)
        return marked == 1

    def requeue(self, token: str, *, error: str, seconds: int) -> bool:
        """Give up an order that was certainly not accepted, to be tried in `seconds`."""
        now = timezone.now()
        return leases.release(
            self.query,
            token,
            claimed_by="",
            posted_at=None,
            last_error=error[:300],
            next_step_at=now + timedelta(seconds=seconds),
            updated_at=now,
        )

    def requeue_unsent(self) -> bool:
        """Free an order that was never posted and that nobody works on."""
        now = timezone.now()
        freed = self.query.filter(leases.available(now), posted_at=None).update(
            claimed_by="", leased_until=None, next_step_at=now, updated_at=now
        )
        return freed == 1

    def prepare_resend(self) -> None:
        """Begin anew after two people found the order lost; it keeps its reference."""
        now = timezone.now()
        self._update(
            now,
            **_RESET_NOT_FOUND,
            claimed_by="",
            leased_until=None,
            posted_at=None,
            provider_id="",
            provider_status="",
            next_step_at=now,
        )

    # --- What the provider says ------------------------------------------------------------------

    def store_record(
        self, record: TransferRecord, *, next_step_at: datetime | None, **changes: Any
    ) -> None:
        """Keep the provider's record, and when to look next."""
        self._update(
            **_RESET_NOT_FOUND,
            claimed_by="",
            leased_until=None,
            provider_id=record.provider_id[:40],
            provider_status=record.status.value[:20],
            provider_message=record.complete_message[:500],
            last_error="",
            status_checks=F("status_checks") + 1,
            next_step_at=next_step_at,
            **changes,
        )

    def store_settled(self, record: TransferRecord, *, charge: Decimal) -> None:
        """Keep the record of a transfer that was paid, and watch whether it comes back."""
        now = timezone.now()
        self.store_record(record, settled_at=now, provider_fee=charge, **_monitoring_schedule(now))

    def store_monitored(self, record: TransferRecord) -> None:
        """Keep the record of a closed payout, and look again while it is watched."""
        self.store_record(record, next_step_at=self._next_monitoring_at())

    def store_pending(self, record: TransferRecord) -> None:
        """Keep the record of a transfer that the provider has not decided."""
        self.store_record(record, next_step_at=self._next_check_at())

    def flag_mismatch(self, record: TransferRecord, *, differences: str) -> None:
        """Note that the provider's record is not of what was ordered."""
        self._update(
            **_RESET_NOT_FOUND,
            leased_until=None,
            status_checks=F("status_checks") + 1,
            provider_id=record.provider_id[:40],
            last_error=f"the provider's record differs: {differences}"[:300],
            next_step_at=self._next_check_at(),
        )

    def record_inconclusive_check(self, error: str) -> None:
        """Count a look-up that told nothing, and plan the next one."""
        self._update(
            status_checks=F("status_checks") + 1,
            last_error=error[:300],
            next_step_at=self._next_check_at(),
        )

    def record_unknown(self, error: str, *, not_found: bool) -> None:
        """Note that nobody can tell what became of the order, and plan the next look."""
        now = timezone.now()
        changes = _count_not_found(self.query.get(), now) if not_found else {}
        self._update(
            now,
            leased_until=None,
            last_error=error[:300],
            status_checks=F("status_checks") + 1,
            next_step_at=self._next_check_at(),
            **changes,
        )

    def expedite(self) -> None:
        """Make the next look due now.

        Where none is planned a hint is not news, but for a Failed withdrawal: it may have been
        paid. One that is due stays so: who is about to take it must not find it planned for later.
        """
        self.query.filter(
            Q(next_step_at__isnull=False) | Q(withdrawal__status=WithdrawalStatus.FAILED)
        ).update(next_step_at=Least("next_step_at", timezone.now()))

    # --- Closed -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Plan nothing more."""
        self._update(next_step_at=None)

    def close_failed(self) -> None:
        """Plan nothing more after the provider refused."""
        self._update(leased_until=None, next_step_at=None)

    def start_monitoring(self) -> None:
        """Watch a payout that two people gave up: the provider may yet show it."""
        now = timezone.now()
        self._update(now, **_monitoring_schedule(now), leased_until=None)

    def continue_monitoring(self) -> None:
        """Look again later at a closed payout that the provider does not know now."""
        self._update(status_checks=F("status_checks") + 1, next_step_at=self._next_monitoring_at())

    def _update(self, now: datetime | None = None, **changes: Any) -> None:
        self.query.update(**changes, updated_at=now or timezone.now())

    def _next_check_at(self) -> datetime:
        """When to ask next: soon at first, then every ten minutes."""
        count = self.query.values_list("status_checks", flat=True).get()
        step = _CHECK_DELAYS[min(count, len(_CHECK_DELAYS) - 1)]
        return timezone.now() + timedelta(seconds=step)

    def _next_monitoring_at(self) -> datetime | None:
        now = timezone.now()
        until = self.query.values_list("monitor_until", flat=True).get()
        return None if until is None or now >= until else now + _MONITORING_INTERVAL


def _count_not_found(payout: Payout, now: datetime) -> dict[str, Any]:
    """Count a "not found"; a second one counts only half an hour after the one before."""
    apart = timedelta(seconds=settings.PAYOUT_LOST_AFTER_SECONDS)
    if payout.first_not_found_at is None:
        return {"not_found_count": 1, "first_not_found_at": now, "last_not_found_at": now}
    if payout.last_not_found_at is None or now - payout.last_not_found_at >= apart:
        return {"not_found_count": F("not_found_count") + 1, "last_not_found_at": now}
    return {}


def _monitoring_schedule(now: datetime) -> dict[str, Any]:
    """Look again for as long as money may come back."""
    return {
        "next_step_at": now + _MONITORING_INTERVAL,
        "monitor_until": now + timedelta(days=settings.PAYOUT_WATCH_DAYS),
    }
