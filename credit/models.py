"""Models of loan configurations, loans, collateral and loan servicing."""

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
