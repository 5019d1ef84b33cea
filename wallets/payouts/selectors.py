"""Payout totals of the dashboard: pending, closed and paid out, and a hold on payouts."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Min, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from wallets.fees.definitions import PAYOUTS_ON_HOLD
from wallets.fees.selectors import effective_changes
from wallets.payouts.models import CircuitState, PayoutCircuit
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

CLOSED_STATUSES = (WithdrawalStatus.COMPLETED, WithdrawalStatus.FAILED, WithdrawalStatus.REVERSED)


@dataclass(frozen=True, slots=True)
class PendingTotals:
    """Pending withdrawals of one currency: count, sum, and creation time of the oldest."""

    currency: str
    count: int
    amount: Decimal
    oldest: datetime


@dataclass(frozen=True, slots=True)
class DailyPayouts:
    """Payouts closed on one day (UTC), over all currencies."""

    day: date
    completed: int
    failed: int
    reversed: int


@dataclass(frozen=True, slots=True)
class PaidTotals:
    """Payouts completed in one currency: count and total net amount."""

    currency: str
    count: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class PayoutHold:
    """Hold on payouts: reason, start, number of queued payouts, and what ends it.

    People end a hold that a command or people placed; the provider's recovery ends the others.
    """

    reason: str
    since: datetime
    queued: int
    until_released: bool = False

    @property
    def ends(self) -> str:
        """When the queued payouts are sent, as a part of a sentence."""
        if self.until_released:
            return "once two people release the hold"
        return "once the provider recovers"


def get_payout_hold(*, at_most: int) -> PayoutHold | None:
    """Return the hold on payouts, if any; queued payouts are counted up to `at_most`."""
    waiting = Withdrawal.objects.filter(status=WithdrawalStatus.APPROVED).order_by()
    hold = effective_changes().filter(configuration_id=PAYOUTS_ON_HOLD).first()
    if hold is not None and hold.value:
        return PayoutHold(
            hold.reason.rstrip("."),
            hold.decided_at or hold.created_at,
            waiting[:at_most].count(),
            until_released=True,
        )
    circuit = PayoutCircuit.objects.exclude(state=CircuitState.CLOSED).first()
    if circuit is None or circuit.opened_at is None:
        return None
    return PayoutHold(circuit.reason, circuit.opened_at, waiting[:at_most].count())


def pending_totals() -> list[PendingTotals]:
    """Return pending withdrawals by currency, the oldest first."""
    rows = (
        Withdrawal.objects.filter(status=WithdrawalStatus.PENDING)
        .order_by()
        .values("currency_id")
        .annotate(count=Count("pk"), total=Sum("amount"), oldest=Min("created_at"))
    )
    found = [PendingTotals(r["currency_id"], r["count"], r["total"], r["oldest"]) for r in rows]
    return sorted(found, key=lambda waiting: (waiting.oldest, waiting.currency))


def closed_payouts(*, days: int) -> tuple[list[DailyPayouts], list[PaidTotals]]:
    """Return the last `days` days up to today, and the totals paid out in them by currency.

    Both come from one statement, which reads an index only.
    """
    today = timezone.now().date()
    first = today - timedelta(days=days - 1)
    start = datetime.combine(first, datetime.min.time(), tzinfo=UTC)
    rows = (
        Withdrawal.objects.filter(status__in=CLOSED_STATUSES, updated_at__gte=start)
        .order_by()
        .annotate(day=TruncDate("updated_at"))
        .values("day", "status", "currency_id")
        .annotate(count=Count("*"), total=Sum("disburse_amount"))
    )
    ended: Counter[tuple[date, str]] = Counter()
    paid: dict[str, PaidTotals] = {}
    for row in rows:
        ended[row["day"], row["status"]] += row["count"]
        if row["status"] == WithdrawalStatus.COMPLETED:
            code = row["currency_id"]
            so_far = paid.get(code, PaidTotals(code, 0, Decimal(0)))
            paid[code] = PaidTotals(code, so_far.count + row["count"], so_far.amount + row["total"])
    found = [
        DailyPayouts(
            day=day,
            completed=ended[day, WithdrawalStatus.COMPLETED],
            failed=ended[day, WithdrawalStatus.FAILED],
            reversed=ended[day, WithdrawalStatus.REVERSED],
        )
        for day in (first + timedelta(days=n) for n in range(days))
    ]
    return found, [paid[code] for code in sorted(paid)]
