"""OpenAPI schema of loan and loan configuration events."""

from typing import Any

from credit.configurations import event_types as configurations
from credit.configurations import examples as configurations_examples
from credit.configurations.payloads import LOAN_CONFIGURATION
from credit.loans import examples as loans_examples
from credit.loans.event_types import EVENT_TYPES
from credit.loans.models import RepaymentSource
from credit.loans.payloads import LOAN
from exchange.api.operations import NamedSchema, closed_object, number_schema
from exchange.core.examples import TOKEN_ID
from exchange.events.event_schema import USER, add_webhooks
from exchange.participants.examples import USER as USER_EXAMPLE

# Those with the loan and the borrower only.
_STATUSES = {
    "loan.created": "ACTIVE",
    "loan.overdue": "OVERDUE",
    "loan.defaulted": "DEFAULTED",
}
_PROPERTIES: dict[str, Any] = {
    "loan": LOAN,
    "user": {**USER, "description": "The borrower; null in events to the creditor"},
}
_REPAYMENT = closed_object(
    {
        "id": {"type": "string", "format": "uuid", "description": "Repayment ID"},
        "amount": number_schema("Amount paid"),
        "interest": number_schema("Part paid towards interest"),
        "principal": number_schema("Part paid towards principal"),
        "outstanding": number_schema("Balance after the payment"),
        "paid_from": {
            "type": "string",
            "enum": RepaymentSource.values,
            "description": "The borrower's wallet, or the loan's cash collateral",
        },
    },
    description="The payment, in the loan's currency",
)
_MOVED = closed_object(
    {
        "collaterals": {
            "type": "array",
            "description": "Units by token",
            "items": closed_object(
                {
                    "token_id": {"type": "string", "format": "uuid", "description": "Token ID"},
                    "quantity": number_schema("Units"),
                }
            ),
        },
        "cash_collateral": number_schema("Cash, in the loan's currency"),
    },
    description="What was moved: `added` or `released`",
)
_WRITE_OFF = closed_object(
    {"owed": number_schema("Outstanding before the write-off")},
    description="What was written off, in the loan's currency",
)
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
_REPAYMENT_EXAMPLE = {
    "id": "0197d36f-1c22-7e90-8d41-2a3b4c5d6e01",
    "amount": 100000,
    "interest": 100000,
    "principal": 0,
    "paid_from": RepaymentSource.WALLET.value,
}
_MOVED_EXAMPLE = {
    "collaterals": [{"token_id": TOKEN_ID, "quantity": 100}],
    "cash_collateral": 0,
}
_REPAID = _data(
    "LoanRepaidEventData",
    {
        event_type: _example(status, repayment={**_REPAYMENT_EXAMPLE, "outstanding": outstanding})
        for event_type, status, outstanding in (
            ("loan.partially_repaid", "ACTIVE", 1496000),
            ("loan.repaid", "COMPLETED", 0),
        )
    },
    repayment=_REPAYMENT,
)
_ADDED = _data(
    "LoanCollateralAddedEventData",
    {"loan.collateral_added": _example("ACTIVE", added=_MOVED_EXAMPLE)},
    added=_MOVED,
)
_RELEASED = _data(
    "LoanCollateralReleasedEventData",
    {"loan.collateral_released": _example("ACTIVE", released=_MOVED_EXAMPLE)},
    released=_MOVED,
)
_WRITTEN_OFF = _data(
    "LoanWrittenOffEventData",
    {"loan.written_off": _example("WRITTEN_OFF", write_off={"owed": 1496000})},
    write_off=_WRITE_OFF,
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
    for data in (
        _LOAN_DATA,
        _REPAID,
        _ADDED,
        _RELEASED,
        _WRITTEN_OFF,
        _LIQUIDATED,
        _SHORTFALL_DATA,
    ):
        add_webhooks(result, data, EVENT_TYPES, "Loans")
    add_webhooks(result, _CONFIGURATION, configurations.EVENT_TYPES, "Loan configurations")
    return result
