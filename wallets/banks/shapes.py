"""Response schemas and errors of banks."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from exchange.api.operations import NamedSchema, closed_object, text_schema
from exchange.core.currencies import PAYOUT_CURRENCIES
from exchange.core.errors import InvalidCurrency
from wallets.banks.errors import NoBankList

BANKS = NamedSchema(
    "Banks",
    {
        "type": "array",
        "description": "Banks that payouts can reach",
        "items": closed_object(
            {
                "name": text_schema("Name to use in withdrawals"),
                "code": text_schema("Code of the bank"),
            }
        ),
    },
    [{"name": "Guaranty Trust Bank", "code": "058"}, {"name": "Zenith Bank", "code": "057"}],
)


ACCOUNT = NamedSchema.of(
    "ResolvedAccount",
    account_number=(text_schema("Account number as it was sent"), "0690000031"),
    account_name=(text_schema("Name of the account holder"), "Forrest Green"),
    bank_name=(text_schema("Bank name, as the payment provider spells it"), "Guaranty Trust Bank"),
    bank_code=(text_schema("Code of the bank"), "058"),
)


CURRENCY_PARAMETER = OpenApiParameter(
    "currency", required=True, enum=PAYOUT_CURRENCIES, description="Currency of the payout"
)


RESOLVE_EXAMPLE = OpenApiExample(
    "A Nigerian account",
    value={
        "bank_name": "Guaranty Trust Bank",
        "account_number": "0690000031",
        "currency": "NGN",
    },
    request_only=True,
)


CURRENCY_FAILURES = {
    "invalid_currency": InvalidCurrency(PAYOUT_CURRENCIES).message,
    "currency_not_supported": NoBankList("USD").message,
}


BANK_NOT_FOUND = {
    "bank_not_found": 'Could not find a bank matching "GTB" for NGN. Please check the bank '
    "name (did you mean Guaranty Trust Bank?)",
}


PROVIDER_UNAVAILABLE = {
    "provider_unavailable": "Could not fetch the bank list from the payment provider. "
    "Please try again later",
}
