"""What files of loans have in their columns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from credit.loans.admin.loan_page import days_overdue, is_open
from credit.loans.models import Loan
from credit.loans.services.valuation import amount_owed
from exchange.exports.sheets import Column


def _valued(name: str) -> Any:
    def value(loan: Loan) -> Any:
        return getattr(getattr(loan, "valuation", None), name, None)

    return value


def _shortfall(loan: Loan) -> Decimal | None:
    """What is missing in an open shortfall."""
    found = getattr(loan, "open_shortfalls", [])
    return found[0].required - found[0].value if found else None


LOANS: tuple[Column, ...] = (
    Column("Loan id", lambda o: str(o.pk)),
    Column("Status", lambda o: o.status),
    Column("Made (UTC)", lambda o: o.created_at),
    Column("Borrower", lambda o: o.borrower.name),
    Column("Borrower's e-mail", lambda o: o.borrower.email),
    Column("Borrower id", lambda o: str(o.borrower_id)),
    Column("Borrower's organisation", lambda o: o.organisation.name),
    Column("Creditor", lambda o: o.creditor.name),
    Column("Configuration", lambda o: str(o.version)),
    Column("Currency", lambda o: o.currency_id),
    Column("Lent", lambda o: o.amount),
    Column("To be repaid", lambda o: o.repayment_amount),
    Column("Interest a month", lambda o: o.interest_rate),
    Column("Months", lambda o: o.duration),
    Column("Due (UTC)", lambda o: o.repayment_date),
    Column("Days late", days_overdue),
    Column("Principal repaid", lambda o: o.principal_repaid),
    Column("Interest repaid", lambda o: o.interest_repaid),
    Column("Outstanding", lambda o: amount_owed(o) if is_open(o) else Decimal(0)),
    Column("Collateral's value", _valued("value")),
    Column("Loan to value", _valued("loan_to_value")),
    Column("At most", lambda o: o.collateral_ratio),
    Column("Cannot be valued", _valued("problem")),
    Column("Shortfall", _shortfall),
    Column("Proposal", lambda o: ", ".join(str(e.get_action_display()) for e in o.waiting)),
    Column("Over since (UTC)", lambda o: o.closed_at),
    Column("Reason", lambda o: o.reason),
)
