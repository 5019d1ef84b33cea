"""Example loan configurations."""

from typing import Any

from exchange.core.examples import LENDER_ID, ORGANISATION_ID

CONFIGURATION_ID = "0197d2b1-6a10-7d2e-8c3f-4b5a69788701"


TERMS: dict[str, Any] = {
    "access": "organisations",
    "investment_categories": ["Real Estate", "Bond"],
    "min_amount": {"NGN": 1000},
    "max_amount": {"NGN": 2000000},
    "max_outstanding": {"NGN": 50000000},
    "collateral_ratio": 0.8,
    "interest_rate": 0.3,
    "duration": 12,
    "grace_period": 7,
    "grace_period_unit": "DAYS",
}


# As seen by its creditor, and by others.
OWN_CONFIGURATION: dict[str, Any] = {
    "id": CONFIGURATION_ID,
    "name": "Working capital, secured",
    "creditor": {"id": LENDER_ID, "name": "Savanna Credit"},
    **TERMS,
    "status": "Approved",
    "organisation_ids": [ORGANISATION_ID],
    "reason": None,
    "pending": None,
}


CONFIGURATION: dict[str, Any] = {
    name: value
    for name, value in OWN_CONFIGURATION.items()
    if name not in {"organisation_ids", "reason", "pending"}
}


PROPOSED_TERMS: dict[str, Any] = {
    "name": "Working capital, secured",
    **TERMS,
    "organisation_ids": [ORGANISATION_ID],
    "proposed_at": "2025-07-04T09:00:00.000Z",
}
