"""Example loans."""

from typing import Any

from credit.configurations.examples import CONFIGURATION_ID
from exchange.core.examples import LENDER_ID, MEMBER_ID, TOKEN_ID
from exchange.tokens.examples import TOKEN

LOAN_ID = "0197d2c5-44e0-7b6a-9c21-7d8e9f0a1b23"


_LENT_AT = "2025-07-04T07:12:11.000Z"


_REPAYMENT_DATE = "Sat Oct 04 2025 08:12:11 GMT+0100 (West Africa Standard Time)"


_COLLATERAL = {"name": TOKEN["name"], "token_id": TOKEN_ID, "quantity": 10000}


LOAN: dict[str, Any] = {
    "id": LOAN_ID,
    "borrower": MEMBER_ID,
    "creditor": LENDER_ID,
    "amount": 840000,
    "currency": "NGN",
    "repayment_amount": 1596000,
    "repayment_date": _REPAYMENT_DATE,
    "interest_rate": 0.3,
    "duration": 3,
    "status": "ACTIVE",
    "grace_period": 7,
    "grace_period_unit": "DAYS",
    "reason": "School fees",
    "created_at": _LENT_AT,
    "updated_at": _LENT_AT,
    "collaterals": [_COLLATERAL],
}


_REPAYMENT: dict[str, Any] = {
    "id": "0197d36f-1c22-7e90-8d41-2a3b4c5d6e01",
    "amount": 100000,
    "interest": 100000,
    "principal": 0,
    "outstanding": 1496000,
    "createdAt": "2025-07-04T10:18:55.010Z",
}


_COVERAGE = {"cash_collateral": 0, "collateral_value": 1060000, "loan_to_value": 0.79245283}


LISTED_LOAN: dict[str, Any] = {**LOAN, **_COVERAGE}


LOAN_DETAIL: dict[str, Any] = {
    **LOAN,
    "loan_configuration_id": CONFIGURATION_ID,
    "outstanding": 1496000,
    "outstanding_principal": 840000,
    "outstanding_interest": 656000,
    "repaid": 100000,
    **_COVERAGE,
    "claim": 0,
    "shortfall": None,
    "bank_name": None,
    "bank_code": None,
    "account_number": None,
    "repayments": [_REPAYMENT],
    "closed_at": None,
}


STATEMENT: list[dict[str, Any]] = [
    {
        "_id": "0197d2c5-44e0-7c1f-a3d2-8e9f0a1b2c34",
        "type": "disbursement",
        "amount": 840000,
        "principal": 840000,
        "interest": 0,
        "outstanding": 1596000,
        "createdAt": _LENT_AT,
    },
    {
        "_id": _REPAYMENT["id"],
        "type": "repayment",
        "amount": -100000,
        "principal": 0,
        "interest": -100000,
        "outstanding": 1496000,
        "createdAt": _REPAYMENT["createdAt"],
    },
]
