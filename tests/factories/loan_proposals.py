"""Bodies of loan configurations for contract tests, and their requests."""

import json
from typing import Any

from credit.configurations.models import LoanConfiguration
from tests.factories.api_clients import ApiCaller

PATH = "/v1/api/credit/loan-configuration"


def body_of(**changes: Any) -> dict[str, Any]:
    """Return valid terms with `changes`."""
    return {
        "name": "Secured",
        "access": "public",
        "investment_categories": ["Bond", "Fund"],
        "max_amount": {"NGN": 2000000.5, "UGX": 70000000},
        "max_outstanding": {"NGN": 50000000},
        "collateral_ratio": 0.8,
        "interest_rate": 0.05,
        "duration": 12,
        "grace_period": 7,
        "grace_period_unit": "DAYS",
        **changes,
    }


def body_with_field(name: str, text: str) -> str:
    """Return a body whose field `name` is the JSON `text`."""
    return json.dumps(body_of(**{name: "HERE"})).replace('"HERE"', text)


def put_configuration(caller: ApiCaller, configuration: LoanConfiguration | str, body: Any) -> Any:
    """Propose a change; `body` is a dict or JSON text."""
    found = configuration if isinstance(configuration, str) else configuration.id
    text = body if isinstance(body, str) else json.dumps(body)
    return caller.client.put(
        f"{PATH}/{found}", text, content_type="application/json", headers=caller.headers
    )
