"""Response shapes of deposits for the API schema, with examples."""

from drf_spectacular.utils import OpenApiExample

from exchange.api.operations import NamedSchema, text_schema
from exchange.core.currencies import VIRTUAL_ACCOUNT_CURRENCIES, WALLET_CURRENCIES
from exchange.core.errors import InvalidCurrency
from exchange.participants.errors import MemberClosed, VerificationRequired
from wallets.deposits import examples
from wallets.deposits.payloads import DEPOSIT

_PENDING = {
    **examples.DEPOSIT,
    "channel": "checkout",
    "status": "Pending",
    "provider_reference": None,
    "payer": None,
}
_URL = "https://checkout.flutterwave.com/v3/hosted/pay/8f2c1d"
CHECKOUT = NamedSchema.of(
    "Checkout",
    deposit=(DEPOSIT, _PENDING),
    url=(text_schema("The page on which the person pays"), _URL),
)
CHECKOUT_EXAMPLE = OpenApiExample(
    "A payment of a member",
    value={
        "amount": 250000,
        "currency": "NGN",
        "redirect_url": "https://baobridge.example/paid",
        "client_reference": "invoice-1042",
    },
    request_only=True,
)
VIRTUAL_ACCOUNT_EXAMPLE = OpenApiExample(
    "An account in NGN", value={"currency": "NGN", "bvn": "12345678901"}, request_only=True
)

_DECLINED = "The payment provider declined the {}: Invalid bvn"
_EMAIL = (
    "Your organisation has no email address, which the payment provider requires. Ask the exchange "
    "to add it"
)
_OUT_OF_REACH = {"provider_unavailable": "The payment provider did not respond. Please try again"}
_MEMBER = {
    "member_closed": MemberClosed.message,
    "verification_required": VerificationRequired.message,
}
CHECKOUT_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "redirect_url must be on one of your organisation's registered addresses"
        " (https://baobridge.example). Ask the exchange to register another",
        "invalid_currency": InvalidCurrency(WALLET_CURRENCIES).message,
        "checkout_declined": _DECLINED.format("checkout"),
        "email_required": _EMAIL,
    },
    "409": {
        **_MEMBER,
        "client_reference_taken": "There is a deposit with client_reference invoice-1042 already",
    },
    "502": _OUT_OF_REACH,
}
VIRTUAL_ACCOUNT_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "bvn is required for a virtual account in NGN",
        "invalid_currency": InvalidCurrency(VIRTUAL_ACCOUNT_CURRENCIES).message,
        "account_declined": _DECLINED.format("account"),
        "email_required": _EMAIL,
    },
    "409": _MEMBER,
    "502": _OUT_OF_REACH,
}
