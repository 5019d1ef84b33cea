"""Columns of loan exports."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from credit.loans.admin.loan_page import days_overdue, is_open
from credit.loans.models import Loan
from credit.loans.services.valuation import amount_owed
from exchange.admin.references import format_metadata
from exchange.exports.sheets import Column


def _valued(name: str) -> Any:
    def value(loan: Loan) -> Any:
        return getattr(getattr(loan, "valuation", None), name, None)

    return value


def _shortfall(loan: Loan) -> Decimal | None:
    """Return the missing collateral value of an open shortfall."""
    found = getattr(loan, "open_shortfalls", [])
    return found[0].required - found[0].value if found else None


LOANS: tuple[Column, ...] = (
    Column("Loan ID", lambda o: str(o.pk)),
    Column("Status", lambda o: o.status),
    Column("Disbursed (UTC)", lambda o: o.created_at),
    Column("Borrower", lambda o: o.borrower.name),
    Column("Borrower email", lambda o: o.borrower.email),
    Column("Borrower ID", lambda o: str(o.borrower_id)),
    Column("Borrower organisation", lambda o: o.organisation.name),
    Column("Lender", lambda o: o.creditor.name),
    Column("Configuration", lambda o: str(o.version)),
    Column("Currency", lambda o: o.currency_id),
    Column("Principal", lambda o: o.amount),
    Column("Total repayment", lambda o: o.repayment_amount),
    Column("Monthly interest rate", lambda o: o.interest_rate),
    Column("Term (months)", lambda o: o.duration),
    Column("Due (UTC)", lambda o: o.repayment_date),
    Column("Days overdue", days_overdue),
    Column("Principal repaid", lambda o: o.principal_repaid),
    Column("Interest repaid", lambda o: o.interest_repaid),
    Column("Outstanding", lambda o: amount_owed(o) if is_open(o) else Decimal(0)),
    Column("Collateral value", _valued("value")),
    Column("LTV", _valued("loan_to_value")),
    Column("Maximum LTV", lambda o: o.collateral_ratio),
    Column("Valuation problem", _valued("problem")),
    Column("Margin call", _shortfall),
    Column(
        "Closure proposal",
        lambda o: ", ".join(str(e.get_action_display()) for e in o.pending_closures),
    ),
    Column("Closed (UTC)", lambda o: o.closed_at),
    Column("Purpose", lambda o: o.reason),
    Column("Client reference", lambda o: o.client_reference),
    Column("Metadata", lambda o: format_metadata(o.metadata)),
)
