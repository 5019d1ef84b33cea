"""Tables of loan configurations, loans, their collateral and what happens to them."""

from credit.models.configurations import (
    Access,
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    LoanLimit,
    VersionStatus,
)
from credit.models.loans import Collateral, Loan, LoanStatus, Outstanding, Repayment
from credit.models.servicing import (
    EndingAction,
    EndingProposal,
    EndingStatus,
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
