"""Updates of a payout row; nothing else writes a payout after its approval.

Each method is one UPDATE. Those of a worker compare its lease; the others run with the withdrawal
locked.
"""

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
from wallets.withdrawals.models import MAY_CHANGE_LATER, Payout, WithdrawalStatus

# Seconds between status checks while the transfer is pending; the last one repeats.
_CHECK_DELAYS = (5, 10, 20, 40, 60, 120, 300, 600)
_MONITORING_INTERVAL = timedelta(hours=12)
# A transfer that was found resets earlier "not found" results.
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
        """The row as a queryset, for conditional updates."""
        return Payout.objects.filter(withdrawal_id=self.withdrawal_id)

    # --- Posting --------------------------------------------------------------------------------

    def claim(self) -> str | None:
        """Lease the row for one attempt; return the token, or None if already leased."""
        now = timezone.now()
        lease = now + timedelta(seconds=settings.PAYOUT_LEASE_SECONDS)
        return leases.acquire(
            self.query, prefix="claim_", until=lease, next_step_at=lease, updated_at=now
        )

    def claim_step(self, expected_status: WithdrawalStatus) -> bool:
        """Claim the due step of a withdrawal; return False if another sweep has it.

        `expected_status` is the status the step was chosen by. A payout requeued as Approved since
        is skipped: its next step is to be sent, and `send_payout` claims that itself.
        """
        return leases.claim_due(
            self.query.filter(withdrawal__status=expected_status),
            "next_step_at",
            timedelta(seconds=settings.PAYOUT_LEASE_SECONDS),
        )

    def mark_posted(self, token: str) -> bool:
        """Record that the transfer is about to be posted; return False if the lease ends soon."""
        now = timezone.now()
        marked = self.query.filter(
            leases.leased(now + timedelta(seconds=settings.PAYOUT_LEASE_SECONDS / 2)),
            claimed_by=token,
            posted_at=None,
        ).update(posted_at=now, updated_at=now)
        return marked == 1

    def requeue(self, token: str, *, error: str, seconds: int) -> bool:
        """Release a transfer that was not accepted, to retry after `seconds`."""
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
        """Release a payout that was never posted and has no live lease."""
        now = timezone.now()
        freed = self.query.filter(leases.available(now), posted_at=None).update(
            claimed_by="", leased_until=None, next_step_at=now, updated_at=now
        )
        return freed == 1

    def prepare_resend(self) -> None:
        """Reset an unresolved payout to be sent again under the same reference."""
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

    # --- Provider records ------------------------------------------------------------------------

    def store_record(
        self, record: TransferRecord, *, next_step_at: datetime | None, **changes: Any
    ) -> None:
        """Store the provider's record and the time of the next step."""
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
        """Store the record of a paid transfer and monitor it for a return."""
        now = timezone.now()
        self.store_record(record, settled_at=now, provider_fee=charge, **_monitoring_schedule(now))

    def store_monitored(self, record: TransferRecord) -> None:
        """Store the record of a closed payout and schedule the next monitoring check."""
        self.store_record(record, next_step_at=self._next_monitoring_at())

    def store_pending(self, record: TransferRecord) -> None:
        """Store the record of a pending transfer and schedule the next status check."""
        self.store_record(record, next_step_at=self._next_check_at())

    def flag_mismatch(self, record: TransferRecord, *, differences: str) -> None:
        """Record that the provider's transfer differs from the payment instruction."""
        self._update(
            **_RESET_NOT_FOUND,
            leased_until=None,
            status_checks=F("status_checks") + 1,
            provider_id=record.provider_id[:40],
            last_error=f"provider record mismatch: {differences}"[:300],
            next_step_at=self._next_check_at(),
        )

    def record_inconclusive_check(self, error: str) -> None:
        """Count an inconclusive status check and schedule the next one."""
        self._update(
            status_checks=F("status_checks") + 1,
            last_error=error[:300],
            next_step_at=self._next_check_at(),
        )

    def record_unknown(self, error: str, *, not_found: bool) -> None:
        """Record that the outcome is unknown and schedule the next status check."""
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
        """Make the next status check due now.

        Without a scheduled check a closed withdrawal gets one, however old: it may have been paid,
        or returned. A check that is already due keeps its time, so that a worker about to claim it
        still finds it due.
        """
        self.query.filter(
            Q(next_step_at__isnull=False) | Q(withdrawal__status__in=MAY_CHANGE_LATER)
        ).update(next_step_at=Least("next_step_at", timezone.now()))

    # --- Closed -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Clear the next step."""
        self._update(next_step_at=None)

    def close_failed(self) -> None:
        """Clear the next step and the lease after the provider declined."""
        self._update(leased_until=None, next_step_at=None)

    def start_monitoring(self) -> None:
        """Monitor a payout failed by dual approval: the provider may still pay it."""
        now = timezone.now()
        self._update(now, **_monitoring_schedule(now), leased_until=None)

    def continue_monitoring(self) -> None:
        """Schedule the next monitoring check of a payout that was not found."""
        self._update(status_checks=F("status_checks") + 1, next_step_at=self._next_monitoring_at())

    def _update(self, now: datetime | None = None, **changes: Any) -> None:
        self.query.update(**changes, updated_at=now or timezone.now())

    def _next_check_at(self) -> datetime:
        """Return the time of the next status check: soon at first, then every ten minutes."""
        count = self.query.values_list("status_checks", flat=True).get()
        step = _CHECK_DELAYS[min(count, len(_CHECK_DELAYS) - 1)]
        return timezone.now() + timedelta(seconds=step)

    def _next_monitoring_at(self) -> datetime | None:
        now = timezone.now()
        until = self.query.values_list("monitor_until", flat=True).get()
        return None if until is None or now >= until else now + _MONITORING_INTERVAL


def _count_not_found(payout: Payout, now: datetime) -> dict[str, Any]:
    """Count a "not found"; the next one counts only after PAYOUT_UNKNOWN_AFTER_SECONDS."""
    apart = timedelta(seconds=settings.PAYOUT_UNKNOWN_AFTER_SECONDS)
    if payout.first_not_found_at is None:
        return {"not_found_count": 1, "first_not_found_at": now, "last_not_found_at": now}
    if payout.last_not_found_at is None or now - payout.last_not_found_at >= apart:
        return {"not_found_count": F("not_found_count") + 1, "last_not_found_at": now}
    return {}


def _monitoring_schedule(now: datetime) -> dict[str, Any]:
    """Return the schedule for as long as the bank may return the money."""
    return {
        "next_step_at": now + _MONITORING_INTERVAL,
        "monitor_until": now + timedelta(days=settings.PAYOUT_MONITORING_DAYS),
    }
