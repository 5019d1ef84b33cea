"""Wire documents of statement entries and holdings."""

from exchange.core.documents import Document, identifier, number, text, timestamp
from wallets.ledger import examples
from wallets.ledger.models import TransferKind

# A transaction of a wallet. Not stored: `wallets.ledger.selectors.transactions` evaluates the
# mapping over entry, transfer and account for one page at a time.
TRANSACTION = Document(
    name="WalletTransaction",
    table="wallets_entry",
    fields=(
        identifier("_id", "{r}.id", "Movement ID"),
        text("type", "{r}.kind", "Type of movement", enum=list(TransferKind.values)),
        text("currency", "{r}.currency", "Currency of the amounts"),
        text(
            "account",
            "{r}.account",
            "The part of the wallet: `available`, in `escrow` for an open withdrawal, or "
            "`reserved` for an open order",
            enum=["available", "escrow", "reserved"],
        ),
        number("amount", "{r}.amount", "Amount added to the account; negative when taken from it"),
        number("balance_after", "{r}.balance_after", "Balance of the account after this movement"),
        text("reference", "{r}.reference", "Reference of the withdrawal or deposit"),
        identifier("subject", "{r}.subject_id", "ID of the record it is about", nullable=True),
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
    ),
    example=examples.TRANSACTION,
)


# An owner's units of one token, summed over accounts by `wallets.ledger.selectors.holdings` for one
# page at a time.
HOLDING = Document(
    name="Holding",
    table="wallets_account",
    fields=(
        identifier("token", "{r}.token_id", "Token ID"),
        text("name", "{r}.name", "Token name"),
        text("symbol", "{r}.symbol", "Token symbol"),
        text("currency", "{r}.currency_id", "Currency of its prices"),
        number("balance", "{r}.available + {r}.reserved", "Units not under lien"),
        number("lien", "{r}.lien", "Units that secure loans; not part of `balance`"),
        number("available", "{r}.available", "Units that can be pledged, offered or sold"),
        number("reserved", "{r}.reserved", "Units reserved for open sell orders"),
    ),
    example=examples.HOLDING,
)
