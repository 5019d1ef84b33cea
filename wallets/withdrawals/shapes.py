"""Response shapes of withdrawals for the API schema, with examples."""

from dataclasses import replace

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from exchange.api.operations import NamedSchema, closed_object, number_schema, text_schema
from exchange.core.errors import RequestInProgress
from exchange.core.numbers import MAX_NUMBER
from wallets.banks import shapes as banks_shapes
from wallets.banks.payloads import BANK, BANK_EXAMPLE
from wallets.freezes.errors import BLOCKED_FAILURES
from wallets.withdrawals import examples
from wallets.withdrawals.payloads import WITHDRAWAL, WITHDRAWAL_WITH_BANK

CREATED_WITHDRAWAL = NamedSchema.of(
    "CreatedWithdrawal",
    withdrawalRequest=(WITHDRAWAL, examples.WITHDRAWAL),
    bank=(BANK, BANK_EXAMPLE),
)


CREATED_MEMBER_WITHDRAWAL = replace(
    CREATED_WITHDRAWAL,
    example={"withdrawalRequest": examples.MEMBER_WITHDRAWAL, "bank": BANK_EXAMPLE},
)


WITHDRAWAL_DETAIL = NamedSchema(
    "WithdrawalDetail",
    {
        "allOf": [
            WITHDRAWAL_WITH_BANK,
            closed_object(
                {
                    "reason": {
                        "type": ["string", "null"],
                        "description": "Reason for the rejection or failure",
                    }
                }
            ),
        ]
    },
    {**(WITHDRAWAL_WITH_BANK.example or {}), "reason": None},
)


CANCELLED_WITHDRAWAL = replace(
    WITHDRAWAL_DETAIL,
    example={
        **WITHDRAWAL_DETAIL.example,
        "status": "Cancelled",
        "actioned_on": "2025-07-04T10:16:40.120Z",
        "updatedAt": "2025-07-04T10:16:40.120Z",
    },
)


FEE = NamedSchema.of(
    "WithdrawalFee",
    currency=(text_schema("Currency of the amounts"), "NGN"),
    amount=(number_schema("Amount to withdraw"), 15000.5),
    fee=(number_schema("Flat fee, taken from the amount"), 50),
    disburse_amount=(number_schema("`amount` minus `fee`: what is paid out"), 14950.5),
    minimum=(number_schema("Smallest withdrawal of the currency"), 1000),
)


AMOUNT_PARAMETER = OpenApiParameter(
    "amount",
    type={"type": "number", "exclusiveMinimum": 0, "maximum": int(MAX_NUMBER), "multipleOf": 0.01},
    required=True,
    description="Amount to withdraw, such as 1000 or 90.02, with at most the currency's decimals",
)


WITHDRAWAL_EXAMPLE = OpenApiExample(
    "To a Nigerian account",
    value={
        "amount": 15000.5,
        "bank_name": "Guaranty Trust Bank",
        "account_name": "Forrest Green",
        "account_number": "0690000031",
        "currency": "NGN",
    },
    request_only=True,
)


SOUTH_AFRICA_EXAMPLE = OpenApiExample(
    "To a South African account, with everything its payout needs",
    value={
        "amount": 900.02,
        "bank_name": "Capitec Bank",
        "account_name": "Thandi Mokoena",
        "account_number": "1234567890",
        "currency": "ZAR",
        "recipient_first_name": "Thandi",
        "recipient_last_name": "Mokoena",
        "recipient_email": "thandi@example.com",
        "recipient_phone": "+27821234567",
        "recipient_address": "1 Long Street, Cape Town",
    },
    request_only=True,
)


WITHDRAWAL_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "insufficient_balance": "Insufficient NGN balance. Available: 100.5, requested: 2000",
        "below_minimum": "Cannot withdraw less than 1000 NGN",
        "invalid_request": "amount must not have more than 2 decimals; account_name is required",
        **banks_shapes.CURRENCY_FAILURES,
        "fee_exceeds_amount": "The withdrawal fee of 50 NGN leaves nothing to pay out of 50 NGN",
    },
    "404": banks_shapes.BANK_NOT_FOUND,
    "409": {
        "member_closed": "This member is closed",
        "verification_required": "This member must be verified first",
        "client_reference_taken": "There is a withdrawal with client_reference INV-17 already",
        **BLOCKED_FAILURES,
        RequestInProgress.code: RequestInProgress().message,
    },
    "502": banks_shapes.PROVIDER_UNAVAILABLE,
}


FEE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        **banks_shapes.CURRENCY_FAILURES,
        "invalid_request": "amount must be a number such as 1000 or 90.02",
        "fee_exceeds_amount": WITHDRAWAL_FAILURES["400"]["fee_exceeds_amount"],
    }
}
