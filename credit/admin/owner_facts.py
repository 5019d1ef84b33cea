"""What lending knows of the owner of a withdrawal, for whoever decides about it."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Q

from credit.models import Loan, LoanStatus
from wallets.admin.concerns import Concern, Level, more_concerns
from wallets.models import Withdrawal


def concerns_of_borrower(withdrawal: Withdrawal) -> Iterator[Concern]:
    """Loans of the owner that are not repaid in time, or lack collateral; in one query."""
    if withdrawal.member_id is None:
        return
    found = Loan.objects.filter(
        borrower=withdrawal.member_id,
        status__in=(LoanStatus.ACTIVE, LoanStatus.OVERDUE, LoanStatus.DEFAULTED),
    ).aggregate(
        late=Count("pk", filter=~Q(status=LoanStatus.ACTIVE), distinct=True),
        short=Count("pk", filter=Q(shortfalls__cured_at=None, shortfalls__isnull=False),
                    distinct=True),
    )  # fmt: skip
    if found["late"]:
        yield Concern(Level.STOP, f"The owner has {_loans(found['late'])} overdue or in default.")
    if found["short"]:
        yield Concern(
            Level.LOOK, f"The owner has {_loans(found['short'])} with too little collateral."
        )


def _loans(number: int) -> str:
    return f"{number} loan{'' if number == 1 else 's'}"


more_concerns.append(concerns_of_borrower)
