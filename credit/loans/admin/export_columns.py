"""Columns of loan exports."""

from decimal import Decimal
from typing import Any

from credit.loans.admin.loan_page import days_overdue, is_open
from credit.loans.models import Loan
from credit.loans.services.valuation import amount_owed
from exchange.admin.references import format_metadata
from exchange.exports.sheets import SheetColumn


def _valued(name: str) -> Any:
    def value(loan: Loan) -> Any:
        return getattr(getattr(loan, "valuation", None), name, None)

    return value


def _shortfall(loan: Loan) -> Decimal | None:
    """Return the missing collateral value of an open shortfall."""
    found = getattr(loan, "open_shortfalls", [])
    return found[0].required - found[0].value if found else None


LOANS: tuple[SheetColumn, ...] = (
    SheetColumn("Loan ID", lambda o: str(o.pk)),
    SheetColumn("Status", lambda o: o.status),
    SheetColumn("Disbursed (UTC)", lambda o: o.created_at),
    SheetColumn("Borrower", lambda o: o.borrower.name),
    SheetColumn("Borrower email", lambda o: o.borrower.email),
    SheetColumn("Borrower ID", lambda o: str(o.borrower_id)),
    SheetColumn("Borrower organisation", lambda o: o.organisation.name),
    SheetColumn("Lender", lambda o: o.creditor.name),
    SheetColumn("Configuration", lambda o: str(o.version)),
    SheetColumn("Currency", lambda o: o.currency_id),
    SheetColumn("Principal", lambda o: o.amount),
    SheetColumn("Total repayment", lambda o: o.repayment_amount),
    SheetColumn("Monthly interest rate", lambda o: o.interest_rate),
    SheetColumn("Term (months)", lambda o: o.duration),
    SheetColumn("Due (UTC)", lambda o: o.repayment_date),
    SheetColumn("Days overdue", days_overdue),
    SheetColumn("Principal repaid", lambda o: o.principal_repaid),
    SheetColumn("Interest repaid", lambda o: o.interest_repaid),
    SheetColumn("Outstanding", lambda o: amount_owed(o) if is_open(o) else Decimal(0)),
    SheetColumn("Collateral value", _valued("value")),
    SheetColumn("LTV", _valued("loan_to_value")),
    SheetColumn("Maximum LTV", lambda o: o.collateral_ratio),
    SheetColumn("Valuation problem", _valued("problem")),
    SheetColumn("Margin call", _shortfall),
    SheetColumn(
        "Closure proposal",
        lambda o: ", ".join(str(e.get_action_display()) for e in o.pending_closures),
    ),
    SheetColumn("Closed (UTC)", lambda o: o.closed_at),
    SheetColumn("Purpose", lambda o: o.reason),
    SheetColumn("Client reference", lambda o: o.client_reference),
    SheetColumn("Metadata", lambda o: format_metadata(o.metadata)),
)
