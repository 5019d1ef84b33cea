"""What finance sees first of payouts: what waits, what is stuck, what was paid."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Min, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from wallets.payouts.models import CircuitState, PayoutCircuit
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

CLOSED_STATUSES = (WithdrawalStatus.COMPLETED, WithdrawalStatus.FAILED, WithdrawalStatus.REVERSED)


@dataclass(frozen=True, slots=True)
class PendingTotals:
    """Pending withdrawals of one currency: how many, their sum, and since when the oldest waits."""

    currency: str
    count: int
    amount: Decimal
    oldest: datetime


@dataclass(frozen=True, slots=True)
class DailyPayouts:
    """Payouts that ended on one day (UTC), over all currencies."""

    day: date
    completed: int
    failed: int
    reversed: int


@dataclass(frozen=True, slots=True)
class PaidTotals:
    """What was paid out in one currency: how many, and what arrived at the recipients' banks."""

    currency: str
    count: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class PayoutHold:
    """Payouts are not sent because the provider fails: why, since when, and how many wait."""

    reason: str
    since: datetime
    waiting: int


def get_payout_hold(*, at_most: int) -> PayoutHold | None:
    """Whether payouts are on hold; those that wait are counted up to `at_most`."""
    circuit = PayoutCircuit.objects.exclude(state=CircuitState.CLOSED).first()
    if circuit is None or circuit.opened_at is None:
        return None
    waiting = Withdrawal.objects.filter(status=WithdrawalStatus.APPROVED).order_by()
    return PayoutHold(circuit.reason, circuit.opened_at, waiting[:at_most].count())


def pending_totals() -> list[PendingTotals]:
    """Pending withdrawals by currency, the longest waiting first."""
    rows = (
        Withdrawal.objects.filter(status=WithdrawalStatus.PENDING)
        .order_by()
        .values("currency_id")
        .annotate(count=Count("pk"), total=Sum("amount"), oldest=Min("created_at"))
    )
    found = [PendingTotals(r["currency_id"], r["count"], r["total"], r["oldest"]) for r in rows]
    return sorted(found, key=lambda waiting: (waiting.oldest, waiting.currency))


def closed_payouts(*, days: int) -> tuple[list[DailyPayouts], list[PaidTotals]]:
    """The last `days` days, today the last, those without a payout among them; and what they paid
    out, by currency. Both in one statement, which reads an index only.
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
