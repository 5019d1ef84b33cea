"""OpenAPI shapes, errors and examples of the loan endpoints."""

from drf_spectacular.utils import OpenApiExample

from credit.configurations import examples as configurations_examples
from credit.loans import examples as loans_examples
from credit.loans.payloads import STATEMENT_LINE
from exchange.api.operations import NamedSchema, closed_object, number_schema, text_schema
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.errors import InvalidCurrency, RequestInProgress
from exchange.core.examples import MEMBER_ID, TOKEN_ID
from exchange.tokens.errors import RECORD_FAILURES
from wallets.freezes.errors import BLOCKED_FAILURES, FROZEN_FAILURES

_REFUSAL = closed_object(
    {
        "code": text_schema("Value of `X-Error-Code`"),
        "message": text_schema("Message for people"),
    }
)
QUOTE = NamedSchema.of(
    "LoanQuote",
    collateral_value=(number_schema("At price.sell; null if unknown", "null"), 1060000),
    max_amount=(number_schema("Maximum amount on this collateral", "null"), 848000),
    max_repayment_amount=(number_schema("Maximum total repayment", "null"), 1596000),
    repayment_date=(
        {"type": ["string", "null"], "description": "As in the loan record, if created now"},
        loans_examples.LOAN["repayment_date"],
    ),
    currency=(text_schema("Currency of the amounts"), "NGN"),
    acceptable=(
        {
            "type": "boolean",
            "description": "Whether the loan would be accepted; for callers other than the "
            "creditor, subject to funding",
        },
        True,
    ),
    refusals=(
        {
            "type": "array",
            "description": "Every rule that would reject the loan, in the order of the checks",
            "items": _REFUSAL,
        },
        [],
    ),
)
STATEMENT = NamedSchema(
    "LoanStatement",
    {
        "type": "array",
        "description": "Movements of the loan, oldest first",
        "items": STATEMENT_LINE.schema(),
    },
    loans_examples.STATEMENT,
)

_PLEDGING = {
    "token_cancelled": "BAO is cancelled",
    "token_exited": "BAO has exited",
    "raise_open": "BAO is in its primary raise: its units can be pledged once it is complete",
    "category_not_allowed": "BAO is Art: the investment category of collateral must be one of"
    " [Bond, Fund]",
    "collateral_currency_differs": "BAO is priced in KES: collateral of this loan must be in NGN",
    "price_unavailable": "The price of BAO is older than 30 days",
    "insufficient_units": "Insufficient BAO units. Available: 104, requested: 105",
}
CREATE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "amount must be a decimal in digits, without sign, space or exponent",
        "configuration_not_approved": "The loan configuration is Pending: only Approved ones make"
        " loans",
        "invalid_currency": InvalidCurrency(WALLET_CURRENCIES).message,
        "currency_not_offered": "The loan configuration does not offer loans in KES",
        "amount_below_minimum": "amount must not be below 0.04 NGN",
        "amount_above_maximum": "amount must not be above 2000000 NGN",
        "outstanding_above_maximum": "The loan configuration can lend at most 500000 NGN more",
        "duration_not_offered": "duration must be a whole number of months from 1 to 12",
        "interest_rate_differs": "interest_rate must be 0.3",
        "repayment_below_amount": "repayment_amount must not be below amount",
        "repayment_above_maximum": "repayment_amount must not be above 1596000",
        "repayment_differs": "repayment_amount must be 1596000",
        **_PLEDGING,
        "insufficient_collateral": "The collateral is worth 1040000 NGN, enough for a loan of at"
        " most 832000 NGN",
        "not_funded": "The loan cannot be funded",
    },
    "404": {
        "user_not_found": "User not found",
        "loan_configuration_not_found": "Loan configuration not found",
        "token_not_found": "Token not found",
    },
    "409": {
        "member_closed": "This member is closed",
        "client_reference_taken": "There is a loan with client_reference INV-17 already",
        **RECORD_FAILURES,
        **BLOCKED_FAILURES,
        RequestInProgress.code: RequestInProgress().message,
    },
}
# Rejecting rules are part of the response.
QUOTE_FAILURES: dict[str, dict[str, str]] = {
    "400": {name: CREATE_FAILURES["400"][name] for name in ("invalid_request", "invalid_currency")}
}
_CASH = {
    "insufficient_cash_collateral": "The cash collateral is 100 NGN, requested: 2000",
}
REPAY_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "amount_above_due": "amount must not be above 1596000, the amount due",
        **_CASH,
        "insufficient_balance": "Insufficient NGN balance. Available: 100, requested: 2000",
    },
    "409": {"state_conflict": "The loan is no longer open: it is COMPLETED"},
}
RELEASE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "not_pledged": "4 units of BAO are pledged, requested: 5",
        **_CASH,
        "price_unavailable": "The price of BAO is older than 30 days",
        "insufficient_collateral": "The remaining collateral would be worth 1000000 NGN, too little"
        " for the 840000 owed at a collateral ratio of 0.8",
    },
    "409": {
        "state_conflict": "A liquidation of this loan is pending: collateral cannot be released"
        " until it is decided",
        **RECORD_FAILURES,
    },
}
COLLATERAL_FAILURES: dict[str, dict[str, str]] = {
    "400": _PLEDGING,
    "404": {"token_not_found": "Token not found"},
    "409": {
        "state_conflict": "The loan is no longer open: it is COMPLETED",
        **FROZEN_FAILURES,
        **RECORD_FAILURES,
    },
}
PLEDGE_EXAMPLE = OpenApiExample(
    "Units of one token",
    value={"collaterals": [{"token_id": TOKEN_ID, "quantity": 10}]},
    request_only=True,
)
REPAYMENT_EXAMPLE = OpenApiExample("In part", value={"amount": 20000.5}, request_only=True)
LOAN_EXAMPLE = OpenApiExample(
    "Three months against one token",
    value={
        "user_id": MEMBER_ID,
        "duration": 3,
        "currency": "NGN",
        "interest_rate": 0.3,
        "amount": "840000",
        "repayment_amount": "1596000",
        "collaterals": [{"token_id": TOKEN_ID, "quantity": 10000}],
        "loan_configuration_id": configurations_examples.CONFIGURATION_ID,
        "reason": "School fees",
    },
    request_only=True,
)
