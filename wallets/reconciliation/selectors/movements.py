"""Our payouts and clearing account, as compared with the provider."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Case, F, Q, QuerySet, Sum, When
from django.utils import timezone

from exchange.core.ids import first_id_at
from exchange.staff.models import ApprovalStatus
from wallets.deposits.models import UNMATCHED_PAYMENTS, Payment, PaymentStatus
from wallets.ledger.models import TransferKind
from wallets.reconciliation.models import (
    LineKind,
    ReconciliationBreak,
    ReconciliationLine,
    ReportStatus,
)
from wallets.withdrawals.models import IN_FLIGHT, Payout, WithdrawalStatus

_CHUNK_SIZE = 1_000
# Payments that the ledger has, or that wait for a decision.
BOOKED = (PaymentStatus.CREDITED, *UNMATCHED_PAYMENTS, PaymentStatus.REFUNDED)
# How far back the provider's balance may have a payment that is not booked yet.
UNBOOKED_DAYS = timedelta(days=1)
_MOVES = {
    TransferKind.DEPOSIT: LineKind.DEPOSITS,
    TransferKind.PAYMENT_UNMATCHED: LineKind.DEPOSITS,
    TransferKind.WITHDRAWAL_SETTLE: LineKind.PAYOUTS,
    TransferKind.PROVIDER_CHARGE: LineKind.CHARGED,
    TransferKind.DEPOSIT_CHARGE: LineKind.CHARGED,
    TransferKind.WITHDRAWAL_REVERSE: LineKind.REVERSALS,
    TransferKind.DEPOSIT_REVERSE: LineKind.REVERSALS,
    TransferKind.PAYMENT_REFUND: LineKind.REVERSALS,
    TransferKind.TREASURY: LineKind.TREASURY,
}


@dataclass(frozen=True, slots=True)
class OurPayout:
    """A payout in our records."""

    withdrawal_id: UUID
    reference: str
    status: WithdrawalStatus
    currency: str
    amount: Decimal
    account_number: str
    bank_code: str
    charge: Decimal | None
    posted_at: datetime | None
    leased_until: datetime | None


@dataclass(frozen=True, slots=True)
class DayMovement:
    """The clearing account of one currency over one day."""

    opening: Decimal
    moves: dict[LineKind, Decimal]
    closing: Decimal


@dataclass(frozen=True, slots=True)
class ClearingSnapshot:
    """Clearing balances, payouts in transit and booked payments at one moment."""

    clearing: dict[str, Decimal]
    in_flight: frozenset[tuple[UUID, str, datetime | None]]
    # Transaction ids of the payments booked in the last days.
    booked: frozenset[int]
    # What adjusting entries of breaks added to the variance, ever.
    adjusted: dict[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VarianceReading:
    """A variance in one currency, when it was read, and what adjusting entries had added to it."""

    read_at: datetime
    variance: Decimal
    adjusted: Decimal = Decimal(0)


def utc_day(moment: datetime) -> date:
    """Return the day in UTC."""
    return moment.astimezone(UTC).date()


def day_bounds(day: date) -> tuple[datetime, datetime]:
    """Return the start of `day` and of the day after it, in UTC."""
    start = datetime.combine(day, time(), UTC)
    return start, start + timedelta(days=1)


def payouts_sent_on(day: date) -> dict[str, OurPayout]:
    """Return the payouts sent on `day`, by reference."""
    start, end = day_bounds(day)
    return _our_payouts(Q(posted_at__gte=start, posted_at__lt=end))


def payouts_by_reference(references: Collection[str]) -> dict[str, OurPayout]:
    """Return the payouts with these references, of any day, sent or not."""
    ordered = sorted(references)
    found: dict[str, OurPayout] = {}
    for begin in range(0, len(ordered), _CHUNK_SIZE):
        found |= _our_payouts(Q(withdrawal__reference__in=ordered[begin : begin + _CHUNK_SIZE]))
    return found


def unsettled_payouts() -> dict[str, OurPayout]:
    """Return payouts in transit, and those whose outcome differs from the provider's."""
    ended = Q(withdrawal__status=WithdrawalStatus.COMPLETED, provider_status="FAILED") | Q(
        withdrawal__status=WithdrawalStatus.FAILED
    ) & Q(provider_status__in=["NEW", "PENDING", "SUCCESSFUL"])
    return _our_payouts(Q(withdrawal__status__in=IN_FLIGHT, posted_at__isnull=False) | ended)


def _our_payouts(condition: Q) -> dict[str, OurPayout]:
    rows: QuerySet[Payout] = Payout.objects.filter(condition).select_related("withdrawal__bank")
    return {
        row.withdrawal.reference: OurPayout(
            withdrawal_id=row.withdrawal_id,
            reference=row.withdrawal.reference,
            status=WithdrawalStatus(row.withdrawal.status),
            currency=row.withdrawal.currency_id,
            amount=row.withdrawal.disburse_amount,
            account_number=row.withdrawal.bank.account_number,
            bank_code=row.withdrawal.bank.code,
            charge=row.provider_fee,
            posted_at=row.posted_at,
            leased_until=row.leased_until,
        )
        for row in rows.iterator(chunk_size=_CHUNK_SIZE)
    }


def clearing_snapshot() -> ClearingSnapshot:
    """Return clearing balances and payouts in transit, from one database snapshot."""
    with transaction.atomic():
        if not connection.savepoint_ids:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT e.asset_id, -sum(e.amount) FROM wallets_entry e"
                " JOIN wallets_account a ON a.id = e.account_id AND a.kind = 'clearing'"
                " GROUP BY e.asset_id"
            )
            clearing = dict(cursor.fetchall())
        in_transit = Payout.objects.filter(withdrawal__status__in=IN_FLIGHT).values_list(
            "withdrawal_id", "withdrawal__status", "posted_at"
        )
        return ClearingSnapshot(
            clearing, frozenset(in_transit), _recently_booked(), _adjusted_variances()
        )


def _adjusted_variances() -> dict[str, Decimal]:
    """Return what adjusting entries of breaks added to each variance: the breaks less so much."""
    amount = Sum(
        Case(
            When(difference__lt=0, then=F("adjustments__amount")),
            default=-F("adjustments__amount"),
        )
    )
    booked = ReconciliationBreak.objects.filter(adjustments__status=ApprovalStatus.APPROVED)
    return dict(booked.order_by().values_list("currency").annotate(adjusted=amount))


def _recently_booked() -> frozenset[int]:
    """Return the transaction ids of the payments that were reported in the last days and booked."""
    since = first_id_at(timezone.now() - 3 * UNBOOKED_DAYS)
    booked = Payment.objects.filter(pk__gte=since, status__in=BOOKED)
    return frozenset(booked.values_list("transaction_id", flat=True))


def movements(day: date) -> dict[str, DayMovement]:
    """Return the clearing movements of `day` by currency; money held for us is positive."""
    start, end = day_bounds(day)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.asset_id, CASE WHEN t.created_at < %s THEN '' ELSE t.kind END, -sum(e.amount)"
            " FROM wallets_entry e"
            " JOIN wallets_account a ON a.id = e.account_id AND a.kind = 'clearing'"
            " JOIN wallets_transfer t ON t.id = e.transfer_id"
            " WHERE t.created_at < %s GROUP BY 1, 2",
            [start, end],
        )
        rows = cursor.fetchall()
    found: dict[str, DayMovement] = {}
    for currency in {row[0] for row in rows}:
        ours = {kind: total for asset, kind, total in rows if asset == currency}
        opening = ours.pop("", Decimal(0))
        moves: dict[LineKind, Decimal] = {}
        for kind, total in ours.items():
            line = _MOVES.get(kind, LineKind.OTHER)
            moves[line] = moves.get(line, Decimal(0)) + total
        found[currency] = DayMovement(opening, moves, opening + sum(moves.values()))
    return found


def charges_since(currency: str, moment: datetime) -> int:
    """Return the number of provider charges booked since `moment`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT t.id) FROM wallets_transfer t"
            " JOIN wallets_entry e ON e.transfer_id = t.id AND e.amount > 0"
            " WHERE t.created_at >= %s AND e.asset_id = %s AND ("
            "  t.kind IN ('provider_charge', 'deposit_charge', 'payment_unmatched')"
            # A charge that the owner bears is part of the deposit.
            "  OR t.kind = 'deposit' AND EXISTS (SELECT FROM wallets_deposit d"
            "     WHERE d.id = t.subject_id AND d.fee > 0))",
            [moment, currency],
        )
        (count,) = cursor.fetchone()
    return int(count)


def last_variance(currency: str) -> VarianceReading | None:
    """Return the latest variance of a complete, not provisional report."""
    line = (
        ReconciliationLine.objects.filter(
            kind=LineKind.VARIANCE,
            currency=currency,
            report__status__in=[ReportStatus.MATCHED, ReportStatus.DIFFERS],
            report__provisional=False,
        )
        .select_related("report")
        .order_by("-report__balances_at")
        .first()
    )
    if line is None or line.their_amount is None or line.report.balances_at is None:
        return None
    booked = ReconciliationLine.objects.filter(
        report=line.report, kind=LineKind.BOOKED, currency=currency
    ).first()
    adjusted = booked.our_amount if booked else None
    return VarianceReading(line.report.balances_at, line.their_amount, adjusted or Decimal(0))
