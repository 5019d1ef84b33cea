"""Documents of bank records in the API."""

from exchange.core.documents import Document, identifier, text
from wallets.banks import examples

BANK = Document(
    name="BankRecord",
    table="wallets_bankaccount",
    fields=(
        identifier("_id", "{r}.id", "Bank record ID"),
        text("name", "{r}.name", "Bank name, as the payment provider spells it"),
        text("code", "{r}.code", "Bank code"),
        text("account_number", "{r}.account_number", "Account number as it was sent"),
        text(
            "account_name",
            "{r}.account_name",
            "Account holder; for NGN the name the payment provider resolved, when it did",
        ),
        text("currency", "{r}.currency_id", "Currency of the payout"),
    ),
    example=examples.BANK,
)
