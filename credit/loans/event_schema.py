"""What events about loans and loan configurations tell, as the schema says it."""

from __future__ import annotations

from typing import Any

from credit.configurations import examples as configurations_examples
from credit.configurations.payloads import LOAN_CONFIGURATION
from credit.loans import examples as loans_examples
from credit.loans.payloads import LOAN
from exchange.api.operations import Shape
from exchange.events.event_schema import USER, add_webhooks
from exchange.participants.examples import USER as USER_EXAMPLE

_LOANS = {
    "loan.created": "A loan was made",
    "loan.repaid": "A loan was repaid in full; its collateral is free",
    "loan.overdue": "A loan was not repaid in time; its grace period runs",
    "loan.defaulted": "A loan was not repaid within its grace period",
}
_STATES = {"loan.created": "ACTIVE", "loan.repaid": "COMPLETED"}
_PROPERTIES: dict[str, Any] = {
    "loan": LOAN,
    "user": {**USER, "description": "The borrower; null in what its creditor is told"},
}


def _amounts(description: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": fields,
        "required": list(fields),
    }


def _number(description: str) -> dict[str, Any]:
    return {"type": "number", "description": description}


_LIQUIDATION = _amounts(
    "What came of it, in the loan's currency",
    owed=_number("Owed until then"),
    value_passed=_number("Value of the units that the creditor received"),
    deficiency=_number("What the units did not cover"),
)
_SHORTFALL = _amounts(
    "What is missing, in the loan's currency",
    id={"type": "string", "format": "uuid", "description": "Shortfall id"},
    collateral_value=_number("What the collateral is worth"),
    required_value=_number("What would cover the principal owed"),
)


def _data(name: str, example: dict[str, Any], **more: Any) -> Shape:
    properties = {**_PROPERTIES, **more}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Shape(name, schema, example)


def _example(status: str, **more: Any) -> dict[str, Any]:
    return {"loan": {**loans_examples.LOAN, "status": status}, "user": USER_EXAMPLE, **more}


_LOAN_DATA = _data(
    "LoanEventData",
    {told: _example(_STATES.get(told, told.partition(".")[2].upper())) for told in _LOANS},
)
_LIQUIDATED = _data(
    "LoanLiquidatedEventData",
    {
        "loan.liquidated": _example(
            "LIQUIDATED",
            liquidation={"owed": 1496000, "value_passed": 1060000, "deficiency": 436000},
        )
    },
    liquidation=_LIQUIDATION,
)
_SHORT = _data(
    "LoanShortfallEventData",
    {
        "loan.shortfall": _example(
            "ACTIVE",
            shortfall={
                "id": "0197d36f-2b33-7a01-9e52-3b4c5d6e7f02",
                "collateral_value": 1000000,
                "required_value": 1050000,
            },
        )
    },
    shortfall=_SHORTFALL,
)
_CONFIGURATION = Shape(
    "LoanConfigurationEventData",
    {
        "type": "object",
        "properties": {"loan_configuration": LOAN_CONFIGURATION},
        "required": ["loan_configuration"],
    },
    {
        "loan_configuration.approved": {
            "loan_configuration": configurations_examples.OWN_CONFIGURATION
        },
        "loan_configuration.rejected": {
            "loan_configuration": {
                **configurations_examples.OWN_CONFIGURATION,
                "status": "Rejected",
                "reason": "The rate is above what we agreed",
            }
        },
    },
)


def add_loan_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Describe the events about loans and loan configurations."""
    add_webhooks(result, _LOAN_DATA, _LOANS, "Loans")
    liquidated = "The collateral of a defaulted loan went to its creditor"
    add_webhooks(result, _LIQUIDATED, {"loan.liquidated": liquidated}, "Loans")
    short = "The collateral of a loan no longer covers the principal owed"
    add_webhooks(result, _SHORT, {"loan.shortfall": short}, "Loans")
    add_webhooks(
        result,
        _CONFIGURATION,
        {
            "loan_configuration.approved": "A loan configuration, or a change of one, was approved",
            "loan_configuration.rejected": "A loan configuration, or a change of one, was rejected",
        },
        "Loan configurations",
    )
    return result
