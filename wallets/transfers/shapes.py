"""Examples and failures of transfers for the API schema."""

from drf_spectacular.utils import OpenApiExample

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.errors import InvalidCurrency
from exchange.core.examples import MEMBER_ID
from wallets.freezes.errors import BLOCKED_FAILURES

_OTHER_MEMBER_ID = "0197d2a4-9c8b-7a6d-9e5f-4d3c2b1a0f99"

TO_MEMBER_EXAMPLE = OpenApiExample(
    "From the organisation to a member",
    value={
        "from": {"wallet": "organisation"},
        "to": {"user_id": MEMBER_ID},
        "amount": 2500,
        "currency": "NGN",
    },
    request_only=True,
)


BETWEEN_MEMBERS_EXAMPLE = OpenApiExample(
    "From a member to another, with your own references",
    value={
        "from": {"user_id": MEMBER_ID},
        "to": {"user_id": _OTHER_MEMBER_ID},
        "amount": 10.5,
        "currency": "USD",
        "client_reference": "split-2025-07-04-17",
        "metadata": {"reason": "Dinner"},
    },
    request_only=True,
)


TRANSFER_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "insufficient_balance": "Insufficient NGN balance. Available: 100.5, requested: 2500",
        "invalid_request": "to must be another wallet than from",
        "invalid_currency": InvalidCurrency(WALLET_CURRENCIES).message,
    },
    "404": {"user_not_found": "User not found"},
    "409": {
        "member_closed": "This member is closed",
        "client_reference_taken": "There is a transfer with client_reference split-17 already",
        **BLOCKED_FAILURES,
    },
}
