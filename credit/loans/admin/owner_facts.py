"""Review flags for withdrawals whose owner has overdue or undercollateralised loans.

Also read by `wallets.withdrawals.services.decisions`: every process loads the admin modules.
"""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Count, Q

from credit.loans.models import Loan, LoanStatus
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.review_flags import FlagLevel, ReviewFlag, flag_sources


def borrower_flags(withdrawals: Collection[Withdrawal]) -> dict[UUID, list[ReviewFlag]]:
    """Return flags for owners with late or undercollateralised loans, in one query."""
    borrowers = {withdrawal.member_id for withdrawal in withdrawals if withdrawal.member_id}
    if not borrowers:
        return {}
    rows = (
        Loan.objects.filter(
            borrower__in=borrowers,
            status__in=(LoanStatus.ACTIVE, LoanStatus.OVERDUE, LoanStatus.DEFAULTED),
        )
        .order_by()
        .values("borrower")
        .annotate(
            late=Count("pk", filter=~Q(status=LoanStatus.ACTIVE), distinct=True),
            short=Count(
                "pk",
                filter=Q(shortfalls__cured_at=None, shortfalls__isnull=False),
                distinct=True,
            ),
        )
    )
    of_borrower = {row["borrower"]: _loan_flags(row["late"], row["short"]) for row in rows}
    return {
        withdrawal.pk: of_borrower[withdrawal.member_id]
        for withdrawal in withdrawals
        if withdrawal.member_id in of_borrower
    }


def _loan_flags(late: int, short: int) -> list[ReviewFlag]:
    found = []
    if late:
        text = f"The owner has {_loans(late)} overdue or in default."
        found.append(ReviewFlag("loans_overdue", FlagLevel.CRITICAL, text))
    if short:
        text = f"The owner has {_loans(short)} with a margin call."
        found.append(ReviewFlag("loans_in_shortfall", FlagLevel.REVIEW, text))
    return found


def _loans(number: int) -> str:
    return f"{number} loan{'' if number == 1 else 's'}"


flag_sources.append(borrower_flags)
