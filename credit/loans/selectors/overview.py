"""Dashboard figures for credit officers: loans by status and outstanding balances."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, F, Sum

from credit.loans.models import OPEN, Loan, LoanStatus


@dataclass(frozen=True, slots=True)
class LoanCount:
    """Number of loans in one status."""

    status: LoanStatus
    count: int


@dataclass(frozen=True, slots=True)
class OutstandingBalance:
    """Outstanding balance of open loans in one currency, interest included."""

    currency: str
    count: int
    amount: Decimal


def count_loans_by_status() -> list[LoanCount]:
    """Return the number of loans in every status, zeros included."""
    counts = dict(Loan.objects.order_by().values_list("status").annotate(count=Count("pk")))
    return [LoanCount(status, counts.get(status.value, 0)) for status in LoanStatus]


def outstanding_by_currency() -> list[OutstandingBalance]:
    """Return the outstanding balance of open loans by currency."""
    rows = (
        Loan.objects.filter(status__in=OPEN)
        .order_by("currency_id")
        .values("currency_id")
        .annotate(
            count=Count("pk"),
            total=Sum(F("repayment_amount") - F("interest_repaid") - F("principal_repaid")),
        )
    )
    return [OutstandingBalance(r["currency_id"], r["count"], r["total"]) for r in rows]
