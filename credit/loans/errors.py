"""Errors of loans."""

from exchange.core.errors import NotFound


class LoanNotFound(NotFound):
    """The loan does not exist, or is not visible to the caller."""

    code = "loan_not_found"
    message = "Loan not found"
