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
    Collateral,
    EndingAction,
    EndingProposal,
    EndingStatus,
    Loan,
    LoanStatus,
    Outstanding,
    Repayment,
    Shortfall,
    Valuation,
)

__all__ = [
    "Access",
    "Collateral",
    "ConfigurationStatus",
    "ConfigurationVersion",
    "EndingAction",
    "EndingProposal",
    "EndingStatus",
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
