"""Documents of deposits and virtual accounts in the API."""

from exchange.core.currencies import VIRTUAL_ACCOUNT_CURRENCIES, WALLET_CURRENCIES
from exchange.core.documents import Document, WireField, identifier, number, text, timestamp
from exchange.core.references import OWN_REFERENCES
from wallets.deposits import examples
from wallets.deposits.models import DepositChannel, DepositStatus
from wallets.ledger.payloads import WALLET_OWNER

_PAYER = WireField(
    "payer",
    "CASE WHEN {r}.payer_name || {r}.payer_bank || {r}.payer_account <> '' THEN"
    " json_build_object('name', {r}.payer_name, 'bank', {r}.payer_bank,"
    " 'account_number', {r}.payer_account)::text END",
    {
        "type": ["object", "null"],
        "description": "Who paid, as far as the payment provider says; empty texts are unknown",
        "properties": {
            "name": {"type": "string", "description": "Account holder or card holder"},
            "bank": {"type": "string", "description": "Bank of the payer"},
            "account_number": {
                "type": "string",
                "description": "Account of the payer, often masked",
            },
        },
        "required": ["name", "bank", "account_number"],
    },
)

DEPOSIT = Document(
    name="Deposit",
    table="wallets_deposit",
    fields=(
        identifier("_id", "Deposit ID", "{r}.id"),
        *WALLET_OWNER,
        text(
            "reference",
            "Our reference, also at the payment provider; of a manual deposit the bank's",
        ),
        number("amount", "What arrived; while Pending what was requested"),
        number("fee", "The payment provider's charge, where the owner bears it"),
        number("net_amount", "`amount` minus `fee`: what is credited", "{r}.amount - {r}.fee"),
        text(
            "currency", "Currency of the amounts", "{r}.currency_id", enum=list(WALLET_CURRENCIES)
        ),
        text("channel", "How it arrived", enum=DepositChannel.values),
        text(
            "status",
            "`Completed`: credited, also while disputed or taken back in part."
            " `Reversed`: taken back",
            enum=DepositStatus.values,
        ),
        text(
            "provider_reference",
            "The payment provider's reference of the payment",
            "nullif({r}.provider_reference, '')",
            nullable=True,
        ),
        _PAYER,
        timestamp(
            "available_on",
            "When the money becomes available at the earliest (`deposit.cleared` says that it did);"
            " null where it is available at once",
            "{r}.available_at",
            nullable=True,
        ),
        timestamp(
            "disputed_at",
            "When the payer's bank demanded the money back; null if it did not, or the dispute was"
            " closed",
            nullable=True,
        ),
        number(
            "disputed_amount", "What the payer's bank demands back of `net_amount`", nullable=True
        ),
        number(
            "reversed_amount",
            "What was taken back of `net_amount`",
            "CASE {r}.status WHEN 'Reversed' THEN {r}.amount - {r}.fee"
            " ELSE {r}.reversed_amount END",
        ),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
        timestamp("updatedAt", "Time of the last change", "{r}.updated_at"),
        *OWN_REFERENCES,
    ),
    example=examples.DEPOSIT,
)

VIRTUAL_ACCOUNT = Document(
    name="VirtualAccount",
    table="wallets_virtualaccount",
    fields=(
        identifier("_id", "Virtual account ID", "{r}.id"),
        *WALLET_OWNER,
        text(
            "currency",
            "Currency of the account",
            "{r}.currency_id",
            enum=list(VIRTUAL_ACCOUNT_CURRENCIES),
        ),
        text("bank_name", "Bank that the payer chooses"),
        text("account_number", "Account number that the payer enters"),
        text("account_name", "Account holder that the payer's bank shows"),
        text("status", "Payments are accepted while Active", enum=["Active"]),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
    ),
    example=examples.VIRTUAL_ACCOUNT,
)
