"""Examples and failures of quotes and conversions for the API schema."""

from drf_spectacular.utils import OpenApiExample

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.errors import InvalidCurrency
from exchange.core.examples import MEMBER_ID
from wallets.conversions.errors import RateOutdated
from wallets.conversions.examples import QUOTE_ID
from wallets.freezes.errors import BLOCKED_FAILURES

QUOTE_EXAMPLE = OpenApiExample(
    "Naira to dollars",
    value={"from_currency": "NGN", "to_currency": "USD", "amount": 150000},
    request_only=True,
)


CONVERSION_EXAMPLE = OpenApiExample(
    "Of a member's money",
    value={"quote_id": QUOTE_ID, "user_id": MEMBER_ID},
    request_only=True,
)


_RATE_OUTDATED = {RateOutdated.code: RateOutdated(currency="NGN").message}
QUOTE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "to_currency must be another currency than from_currency",
        "invalid_currency": InvalidCurrency(WALLET_CURRENCIES).message,
        "amount_not_convertible": "The amount converts to less than the smallest amount of USD",
    },
    "409": _RATE_OUTDATED,
}


CONVERSION_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "insufficient_balance": "Insufficient NGN balance. Available: 100.5, requested: 150000",
        "invalid_request": "quote_id is required",
    },
    "404": {"user_not_found": "User not found", "quote_not_found": "Quote not found"},
    "409": {
        "member_closed": "This member is closed",
        "quote_used": "The quote was used by another conversion. Request a new quote",
        "quote_expired": "The quote has expired. Request a new quote",
        "quote_replaced": "A rate of the quote was replaced. Request a new quote",
        **_RATE_OUTDATED,
        **BLOCKED_FAILURES,
        "position_limit_reached": "The limit of conversions of NGN is reached. Convert a smaller "
        "amount or try again later",
    },
}
