"""Reads of statement lines: what is open, and the records that a line may be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import (
    Count,
    Exists,
    Func,
    Min,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    TextField,
    Value,
)

from exchange.staff.models import ApprovalStatus
from wallets.adjustments.models import AdjustingEntry, Direction
from wallets.bank_statements.models import LineStatus, StatementLine
from wallets.deposits.models import Deposit, DepositChannel, DepositStatus
from wallets.treasury.models import TreasuryKind, TreasuryMovement

# How far the day of a record may be from that of the line.
DAYS_APART = 3
MAX_CANDIDATES = 10
_NONE: Any = Q(pk__in=())


@dataclass(frozen=True, slots=True)
class MatchKind:
    """A kind of record that a line may be: `field` is the column of lines that names it.

    `done` selects those that two people approved, and `fits` those whose amount and currency are
    those of the line, as its bank shows them (`statement_match` in SQL). `keyed` is False where
    records have no reference of the bank.
    """

    field: str
    noun: str
    model: type[Model]
    done: Q
    fits: Callable[[StatementLine], Q]
    keyed: bool = True

    def fitting(self, line: StatementLine) -> QuerySet[Any]:
        """Return the approved records that fit the line and belong to no other."""
        others = StatementLine.objects.filter(
            **{self.field: OuterRef("pk")}, currency_id=line.currency_id
        )
        rows = self.model._default_manager.filter(self.done, self.fits(line))
        return rows.filter(~Exists(others))


def _deposit_fits(line: StatementLine) -> Q:
    return Q(amount=line.amount, currency=line.currency_id)


def _movement_fits(line: StatementLine) -> Q:
    amount, close = abs(line.amount), TreasuryKind.POSITION_CLOSE
    one = Q(amount=amount, currency=line.currency_id)
    if line.amount < 0:
        return one & Q(kind__in=[TreasuryKind.TOP_UP, close])
    return one & Q(kind__in=[TreasuryKind.DRAW_DOWN, TreasuryKind.FEE_PAYOUT]) | Q(
        kind=close, bought_amount=amount, bought_currency=line.currency_id
    )


def _adjustment_fits(line: StatementLine) -> Q:
    direction = Direction.LESS if line.amount < 0 else Direction.MORE
    return Q(amount=abs(line.amount), currency=line.currency_id, direction=direction)


# A further kind is one entry here, a column of `StatementLine` and a branch of `statement_match`.
KINDS: dict[str, MatchKind] = {
    kind.field: kind
    for kind in (
        MatchKind(
            "deposit",
            "deposit",
            Deposit,
            Q(
                channel=DepositChannel.MANUAL,
                status__in=[DepositStatus.COMPLETED, DepositStatus.REVERSED],
            ),
            _deposit_fits,
        ),
        MatchKind(
            "movement",
            "treasury movement",
            TreasuryMovement,
            Q(status=ApprovalStatus.APPROVED),
            _movement_fits,
        ),
        MatchKind(
            "adjustment",
            "adjusting entry",
            AdjustingEntry,
            Q(status=ApprovalStatus.APPROVED),
            _adjustment_fits,
            keyed=False,
        ),
    )
}


def find_candidates(line: StatementLine) -> list[tuple[MatchKind, Any]]:
    """Return the records that an open line may be, those with its reference first.

    They have its amount and currency, and its reference or a day close to its own.
    """
    keys = [
        Func(Value(text), function="reference_key", output_field=TextField())
        for text in (line.bank_reference, line.payment_reference)
        if text
    ]
    same = Q(reference_key__in=keys) if keys else _NONE
    first, last = (line.booked_on + timedelta(days=days) for days in (-DAYS_APART, DAYS_APART + 1))
    near = Q(created_at__gte=_midnight(first), created_at__lt=_midnight(last))
    found = []
    for kind in KINDS.values():
        named = same if kind.keyed else _NONE
        rows = kind.fitting(line).filter(named | near).annotate(same_reference=named)
        found += [
            (kind, record) for record in rows.order_by("-same_reference", "-pk")[:MAX_CANDIDATES]
        ]
    return sorted(found, key=lambda each: not each[1].same_reference)


@dataclass(frozen=True, slots=True)
class OpenTotals:
    """The open lines of a currency."""

    currency: str
    count: int
    oldest: date
    arrived: Decimal
    left: Decimal


def open_totals() -> Sequence[OpenTotals]:
    """Return the open lines by currency."""
    return line_totals(StatementLine.objects.filter(status=LineStatus.OPEN))


def line_totals(lines: QuerySet[StatementLine]) -> Sequence[OpenTotals]:
    """Return number and amounts of `lines` by currency."""
    rows = (
        lines.order_by()
        .values("currency")
        .annotate(
            count=Count("pk"),
            oldest=Min("booked_on"),
            arrived=Sum("amount", filter=Q(amount__gt=0), default=Decimal(0)),
            left=-Sum("amount", filter=Q(amount__lt=0), default=Decimal(0)),
        )
        .order_by("currency")
        .values_list("currency", "count", "oldest", "arrived", "left")
    )
    return [OpenTotals(*row) for row in rows]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
