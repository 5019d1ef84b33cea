"""What credit officers see first: the loans by state, and what is still owed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, F, Sum

from credit.loans.models import OPEN, Loan, LoanStatus


@dataclass(frozen=True, slots=True)
class LoanCount:
    """How many loans are in one state."""

    status: LoanStatus
    count: int


@dataclass(frozen=True, slots=True)
class OutstandingBalance:
    """What borrowers still owe in one currency on open loans, interest included."""

    currency: str
    count: int
    amount: Decimal


def count_loans_by_status() -> list[LoanCount]:
    """Every state, those without a loan among them."""
    counts = dict(Loan.objects.order_by().values_list("status").annotate(count=Count("pk")))
    return [LoanCount(status, counts.get(status.value, 0)) for status in LoanStatus]


def outstanding_by_currency() -> list[OutstandingBalance]:
    """What open loans are still to bring back."""
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
