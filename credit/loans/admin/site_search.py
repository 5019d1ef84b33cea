"""Loans in the search of the back office."""

from credit.loans.models import Loan
from exchange.admin.site_search import SearchKind

LOANS = SearchKind(
    model=Loan,
    describe=lambda loan: (
        loan.get_status_display().capitalize(),
        loan.organisation,
        f"lender {loan.creditor}",
    ),
    texts=("client_reference",),
    recent_amounts=(("amount", "currency"), ("repayment_amount", "currency")),
    related=("borrower", "organisation", "creditor"),
)
