"""OpenAPI schema of loan and loan configuration events."""

from typing import Any

from credit.configurations import event_types as configurations
from credit.configurations import examples as configurations_examples
from credit.configurations.payloads import LOAN_CONFIGURATION
from credit.loans import examples as loans_examples
from credit.loans.event_types import EVENT_TYPES
from credit.loans.payloads import LOAN
from exchange.api.operations import NamedSchema, closed_object, number_schema
from exchange.events.event_schema import USER, add_webhooks
from exchange.participants.examples import USER as USER_EXAMPLE

_STATUSES = {
    "loan.created": "ACTIVE",
    "loan.repaid": "COMPLETED",
    "loan.overdue": "OVERDUE",
    "loan.defaulted": "DEFAULTED",
}
_PROPERTIES: dict[str, Any] = {
    "loan": LOAN,
    "user": {**USER, "description": "The borrower; null in events to the creditor"},
}
_LIQUIDATION = closed_object(
    {
        "owed": number_schema("Outstanding before the liquidation"),
        "value_passed": number_schema("Value of the units transferred to the creditor"),
        "deficiency": number_schema("Amount not covered by the units"),
    },
    description="Result of the liquidation, in the loan's currency",
)
_SHORTFALL = closed_object(
    {
        "id": {"type": "string", "format": "uuid", "description": "Shortfall ID"},
        "collateral_value": number_schema("Collateral value"),
        "required_value": number_schema("Collateral value required for the outstanding principal"),
    },
    description="Missing collateral, in the loan's currency",
)


def _data(name: str, example: dict[str, Any], **more: Any) -> NamedSchema:
    return NamedSchema(name, closed_object({**_PROPERTIES, **more}), example)


def _example(status: str, **more: Any) -> dict[str, Any]:
    return {"loan": {**loans_examples.LOAN, "status": status}, "user": USER_EXAMPLE, **more}


_LOAN_DATA = _data(
    "LoanEventData",
    {event_type: _example(status) for event_type, status in _STATUSES.items()},
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
_SHORTFALL_DATA = _data(
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
_CONFIGURATION = NamedSchema(
    "LoanConfigurationEventData",
    closed_object({"loan_configuration": LOAN_CONFIGURATION}),
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
    """Add the loan and loan configuration events to the schema."""
    for data in (_LOAN_DATA, _LIQUIDATED, _SHORTFALL_DATA):
        add_webhooks(result, data, EVENT_TYPES, "Loans")
    add_webhooks(result, _CONFIGURATION, configurations.EVENT_TYPES, "Loan configurations")
    return result
