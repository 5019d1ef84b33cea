"""Refusals of loans."""

from __future__ import annotations

from exchange.core.errors import NotFound


class LoanNotFound(NotFound):
    """No such loan, or the caller is neither borrower's organisation nor creditor."""

    code = "loan_not_found"
    message = "Loan not found"
