"""Documents of bank records in the API."""

from typing import Any

from exchange.core.documents import Document, identifier, text

# In the story of `exchange.core.examples`.
BANK_EXAMPLE: dict[str, Any] = {
    "_id": "0197d36b-8c11-7a04-8e5f-1d2c3b4a5f60",
    "name": "Guaranty Trust Bank",
    "code": "058",
    "account_number": "0690000031",
    "account_name": "Forrest Green",
    "currency": "NGN",
}


BANK = Document(
    name="BankRecord",
    table="wallets_bankaccount",
    fields=(
        identifier("_id", "Bank record ID", "{r}.id"),
        text("name", "Bank name, as the payment provider spells it"),
        text("code", "Bank code"),
        text("account_number", "Account number as it was sent"),
        text(
            "account_name",
            "Account holder; for NGN the name the payment provider resolved, when it did",
        ),
        text("currency", "Currency of the payout", "{r}.currency_id"),
    ),
    example=BANK_EXAMPLE,
)
