"""The borrower's side of the loan API, for contract tests."""

from dataclasses import dataclass
from typing import Any

from tests.factories.api_clients import ApiCaller
from tests.factories.lending import Lending

LOAN = "/v1/api/credit/loan"


@dataclass
class BorrowerApi:
    """The records of `Lending`, and an API key of the borrower's organisation."""

    lending: Lending
    caller: ApiCaller

    def body(self, **changes: Any) -> dict[str, Any]:
        """Return a body for 840,000 over 3 months against 105 units of 10,000."""
        return {
            "user_id": str(self.lending.borrower.owner_id),
            "duration": 3,
            "currency": "NGN",
            "interest_rate": 0.3,
            "amount": "840000",
            "repayment_amount": "1596000",
            "collaterals": [{"token_id": str(self.lending.token.id), "quantity": 105}],
            "loan_configuration_id": str(self.lending.offer.id),
            **changes,
        }

    def create(self, **changes: Any) -> Any:
        return self.caller.post(LOAN, self.body(**changes))

    def create_loan(self, **changes: Any) -> str:
        """Create a loan and return its id."""
        response = self.create(**changes)
        assert response.status_code == 201, response.content
        return str(response.json()["data"]["id"])
