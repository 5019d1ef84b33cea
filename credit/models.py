"""Tables of loan configurations, loans, their collateral and what happens to them."""

from credit.configurations.models import (
    Access,
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    LoanLimit,
    VersionStatus,
)
from credit.loans.models import (
    ClosureAction,
    ClosureProposal,
    ClosureStatus,
    Collateral,
    Loan,
    LoanStatus,
    Outstanding,
    Repayment,
    Shortfall,
    Valuation,
)

__all__ = [
    "Access",
    "ClosureAction",
    "ClosureProposal",
    "ClosureStatus",
    "Collateral",
    "ConfigurationStatus",
    "ConfigurationVersion",
    "Loan",
    "LoanConfiguration",
    "LoanLimit",
    "LoanStatus",
    "Outstanding",
    "Repayment",
    "Shortfall",
    "Valuation",
    "VersionStatus",
]
