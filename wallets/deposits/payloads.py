"""Documents of deposits and virtual accounts in the API."""

from exchange.core.currencies import VIRTUAL_ACCOUNT_CURRENCIES, WALLET_CURRENCIES
from exchange.core.documents import Document, WireField, identifier, number, text, timestamp
from exchange.core.references import OWN_REFERENCES
from wallets.deposits import examples
from wallets.deposits.models import DepositChannel, DepositStatus

_OWNER = (
    # Not owner_id: generated columns are not set yet when the trigger runs.
    identifier(
        "owner", "coalesce({r}.member_id, {r}.organisation_id)", "The organisation or the member"
    ),
    text(
        "owner_model",
        "CASE WHEN {r}.member_id IS NULL THEN 'organisation' ELSE 'user' END",
        "`organisation` for the organisation's wallet, `user` for a member's",
        enum=["organisation", "user"],
    ),
)
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
        identifier("_id", "{r}.id", "Deposit ID"),
        *_OWNER,
        text(
            "reference",
            "{r}.reference",
            "Our reference, also at the payment provider; of a manual deposit the bank's",
        ),
        number("amount", "{r}.amount", "What arrived; while Pending what was requested"),
        number("fee", "{r}.fee", "The payment provider's charge, where the owner bears it"),
        number("net_amount", "{r}.amount - {r}.fee", "`amount` minus `fee`: what is credited"),
        text(
            "currency",
            "{r}.currency_id",
            "Currency of the amounts",
            enum=list(WALLET_CURRENCIES),
        ),
        text("channel", "{r}.channel", "How it arrived", enum=list(DepositChannel.values)),
        text(
            "status",
            "{r}.status",
            "`Completed`: credited, also while disputed or taken back in part."
            " `Reversed`: taken back",
            enum=list(DepositStatus.values),
        ),
        text(
            "provider_reference",
            "nullif({r}.provider_reference, '')",
            "The payment provider's reference of the payment",
            nullable=True,
        ),
        _PAYER,
        timestamp(
            "available_on",
            "{r}.available_at",
            "When the money becomes available at the earliest (`deposit.cleared` says that it did);"
            " null where it is available at once",
            nullable=True,
        ),
        timestamp(
            "disputed_at",
            "{r}.disputed_at",
            "When the payer's bank demanded the money back; null if it did not, or the dispute was"
            " closed",
            nullable=True,
        ),
        number(
            "disputed_amount",
            "{r}.disputed_amount",
            "What the payer's bank demands back of `net_amount`",
            nullable=True,
        ),
        number(
            "reversed_amount",
            "CASE {r}.status WHEN 'Reversed' THEN {r}.amount - {r}.fee"
            " ELSE {r}.reversed_amount END",
            "What was taken back of `net_amount`",
        ),
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
        timestamp("updatedAt", "{r}.updated_at", "Time of the last change"),
        *OWN_REFERENCES,
    ),
    example=examples.DEPOSIT,
)

VIRTUAL_ACCOUNT = Document(
    name="VirtualAccount",
    table="wallets_virtualaccount",
    fields=(
        identifier("_id", "{r}.id", "Virtual account ID"),
        *_OWNER,
        text(
            "currency",
            "{r}.currency_id",
            "Currency of the account",
            enum=list(VIRTUAL_ACCOUNT_CURRENCIES),
        ),
        text("bank_name", "{r}.bank_name", "Bank that the payer chooses"),
        text("account_number", "{r}.account_number", "Account number that the payer enters"),
        text("account_name", "{r}.account_name", "Account holder that the payer's bank shows"),
        text("status", "{r}.status", "Payments are accepted while Active", enum=["Active"]),
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
    ),
    example=examples.VIRTUAL_ACCOUNT,
)
