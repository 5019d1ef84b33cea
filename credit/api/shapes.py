"""What answers about loans hold, as the schema says it, failures and examples."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

_NUMBER = {"type": "number"}
_NULLABLE = {"type": ["number", "null"]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


QUOTE = _object(
    {
        "collateral_value": {**_NULLABLE, "description": "At price.sell; null where unknown"},
        "max_amount": {**_NULLABLE, "description": "The most the collateral covers"},
        "max_repayment_amount": {**_NULLABLE, "description": "The most to be paid back"},
        "repayment_date": {
            "type": ["string", "null"],
            "description": "As the loan record shows it, if it were made now",
        },
        "currency": {"type": "string"},
        "acceptable": {
            "type": "boolean",
            "description": "Whether the loan would be made; for others than the creditor, provided "
            "that the creditor has the money",
        },
        "refusals": {
            "type": "array",
            "description": "Every rule that would refuse, in the order of the checks",
            "items": _object({"code": {"type": "string"}, "message": {"type": "string"}}),
        },
    }
)
STATEMENT: dict[str, Any] = {
    "type": "array",
    "items": _object(
        {
            "_id": {"type": "string", "format": "uuid"},
            "type": {
                "type": "string",
                "enum": ["disbursement", "repayment", "liquidation", "write_off"],
            },
            "amount": {**_NUMBER, "description": "Negative when it lowers what is owed"},
            "principal": _NUMBER,
            "interest": _NUMBER,
            "outstanding": {**_NUMBER, "description": "Still to be paid after it"},
            "createdAt": {"type": "string", "format": "date-time"},
        }
    ),
}

CREATE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "amount must be a decimal in digits, without sign, space or exponent",
        "configuration_not_approved": "The loan configuration is Pending: only Approved ones make"
        " loans",
        "currency_not_offered": "The loan configuration does not lend KES",
        "amount_below_minimum": "amount must not be below 0.04 NGN",
        "amount_above_maximum": "amount must not be above 2000000 NGN",
        "outstanding_above_maximum": "The loan configuration has 500000 NGN left to lend",
        "duration_not_offered": "duration must be a whole number of months from 1 to 12",
        "interest_rate_differs": "interest_rate must be 0.3",
        "repayment_below_amount": "repayment_amount must be at least the amount",
        "repayment_above_maximum": "repayment_amount must not be above 1596000",
        "repayment_differs": "repayment_amount must be 1596000",
        "category_not_allowed": "BAO is Art, which the loan configuration does not take: it takes"
        " Bond, Fund",
        "collateral_currency_differs": "BAO is in KES, the loan in NGN",
        "token_exited": "BAO has exited",
        "insufficient_units": "Insufficient BAO units. Available: 104, requested: 105",
        "price_unavailable": "The price of BAO is older than 30 days",
        "insufficient_collateral": "The collateral is worth 1040000 NGN; at most 832000 can be"
        " lent on it",
        "raise_open": "BAO is in its primary raise: its units can be pledged once it is complete",
        "not_funded": "The loan cannot be funded",
    },
    "404": {
        "user_not_found": "User not found",
        "loan_configuration_not_found": "Loan configuration not found",
        "token_not_found": "Token not found",
    },
}
REPAY_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "amount_above_due": "amount must not be above 1596000, which is due",
        "insufficient_balance": "Insufficient NGN balance. Available: 100, requested: 2000",
    },
    "409": {"state_conflict": "The loan is COMPLETED"},
}
COLLATERAL_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "insufficient_units": "Insufficient BAO units. Available: 4, requested: 5",
        "raise_open": "BAO is in its primary raise: its units can be pledged once it is complete",
        "insufficient_collateral": "The rest would be worth 1000000 NGN, too little for the"
        " 840000 owed at a ratio of 0.8",
    },
    "409": {"state_conflict": "The loan is COMPLETED"},
}
LOAN_EXAMPLE = OpenApiExample(
    "Three months against one token",
    value={
        "user_id": "0197f0c2-7b1e-7c3a-9d55-0d2f6a1b9c10",
        "duration": 3,
        "currency": "NGN",
        "interest_rate": 0.3,
        "amount": "840000",
        "repayment_amount": "1596000",
        "collaterals": [{"token_id": "0197f0c2-7b1e-7c3a-9d55-0d2f6a1b9c11", "quantity": 105}],
        "loan_configuration_id": "0197f0c2-7b1e-7c3a-9d55-0d2f6a1b9c12",
        "reason": "School fees",
    },
    request_only=True,
)
