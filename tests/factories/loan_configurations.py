"""Loan configurations, proposed and approved by the services."""

from decimal import Decimal
from itertools import count
from typing import Any

from credit.configurations.models import ConfigurationVersion, LoanConfiguration, VersionStatus
from credit.configurations.services import configurations
from credit.configurations.services.terms import Terms
from exchange.participants.models import Organisation
from exchange.tokens.models import InvestmentCategory
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.wallets import make_staff

_numbers = count(1)


def make_terms(**changes: Any) -> Terms:
    """Return terms: up to 2,000,000 NGN for a year at 0.3 a month, LTV 80 %."""
    terms: dict[str, Any] = {
        "name": f"Offer {next(_numbers)}",
        "investment_categories": [InvestmentCategory.PRIVATE_BUSINESS, InvestmentCategory.BOND],
        "max_amount": {"NGN": Decimal(2_000_000)},
        "collateral_ratio": Decimal("0.8"),
        "interest_rate": Decimal("0.3"),
        "duration": 12,
        "grace_period": 7,
    }
    return Terms(**{**terms, **changes})


def make_configuration(
    creditor: Organisation | None = None, *, approved: bool = True, **terms: Any
) -> LoanConfiguration:
    """Make a configuration of `creditor` with `make_terms(**terms)`, Approved by new staff."""
    owner = creditor or make_organisation()
    made = configurations.propose(creditor_id=owner.id, terms=make_terms(**terms), actor=TESTER)
    if approved:
        made = approve_pending(made)
    return made


def pending_version(configuration: LoanConfiguration) -> ConfigurationVersion:
    """Return the Pending version of `configuration`."""
    return configuration.versions.get(status=VersionStatus.PENDING)


def approve_pending(configuration: LoanConfiguration) -> LoanConfiguration:
    """Approve the Pending version as new staff."""
    return configurations.approve(
        version_id=pending_version(configuration).id,
        user=make_staff("decide_configuration"),
        reason="Agreed with the creditor",
    )
