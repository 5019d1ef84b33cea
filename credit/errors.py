"""Refusals of credit. Each rule has its own message and code."""

from __future__ import annotations

from exchange.core.errors import NotFound


class ConfigurationNotFound(NotFound):
    """No such configuration, or not one the caller may use or owns."""

    code = "loan_configuration_not_found"

    def __init__(self) -> None:
        super().__init__("Loan configuration not found")


class LoanNotFound(NotFound):
    """No such loan, or the caller is neither borrower's organisation nor creditor."""

    code = "loan_not_found"

    def __init__(self) -> None:
        super().__init__("Loan not found")
