"""Wire documents of statement entries and holdings, and the owner in those of wallets."""

from exchange.core.documents import Document, identifier, number, text, timestamp
from wallets.ledger import examples
from wallets.ledger.models import TransferKind
from wallets.ledger.selectors.wallets import WALLET_KINDS

# The owner of a wallet's record. Not owner_id: generated columns are not set yet when the trigger
# of a document runs.
WALLET_OWNER = (
    identifier(
        "owner", "The organisation or the member", "coalesce({r}.member_id, {r}.organisation_id)"
    ),
    text(
        "owner_model",
        "`organisation` for the organisation's wallet, `user` for a member's",
        "CASE WHEN {r}.member_id IS NULL THEN 'organisation' ELSE 'user' END",
        enum=["organisation", "user"],
    ),
)


# A transaction of a wallet. Not stored: `wallets.ledger.selectors.transactions` evaluates the
# mapping over entry, transfer and account for one page at a time.
TRANSACTION = Document(
    name="WalletTransaction",
    table="wallets_entry",
    fields=(
        identifier("_id", "Movement ID", "{r}.id"),
        text("type", "Type of movement", "{r}.kind", enum=TransferKind.values),
        text("currency", "Currency of the amounts"),
        text(
            "account",
            "The part of the wallet: `available`, in `escrow` for an open withdrawal, `reserved` "
            "for an open order, `lien`, the cash collateral of loans, `uncleared`, which becomes "
            "available when its deposit clears, or `receivable`, what is owed, below zero",
            enum=[str(kind) for kind in WALLET_KINDS],
        ),
        number("amount", "Amount added to the account; negative when taken from it"),
        number("balance_after", "Balance of the account after this movement"),
        text("reference", "Reference of the withdrawal or deposit"),
        text(
            "description",
            "Of a distribution: what was paid for, in words; else null",
            "CASE WHEN starts_with({r}.kind, 'distribution') THEN {r}.memo END",
            nullable=True,
        ),
        identifier("subject", "ID of the record it is about", "{r}.subject_id", nullable=True),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
    ),
    example=examples.TRANSACTION,
)


# An owner's units of one token, summed over accounts by `wallets.ledger.selectors.holdings` for one
# page at a time.
HOLDING = Document(
    name="Holding",
    table="wallets_account",
    fields=(
        identifier("token", "Token ID", "{r}.token_id"),
        text("name", "Token name"),
        text("symbol", "Token symbol"),
        text("currency", "Currency of its prices", "{r}.currency_id"),
        number("balance", "Units not under lien", "{r}.available + {r}.reserved"),
        number("lien", "Units that secure loans; not part of `balance`"),
        number("available", "Units that can be pledged, offered or sold"),
        number("reserved", "Units reserved for open sell orders"),
        timestamp(
            "next_record_at",
            "Record of the next distribution that is announced: who holds units then is paid",
            nullable=True,
        ),
        text(
            "next_payment_date",
            "Next day, in UTC, on which a distribution is paid",
            nullable=True,
            format="date",
        ),
    ),
    example=examples.HOLDING,
)


# An owner of units as the issuer sees it, summed over accounts like a holding.
HOLDER = Document(
    name="Holder",
    table="wallets_account",
    fields=(
        identifier("_id", "ID of this holder of the token", "{r}.id"),
        identifier(
            "owner",
            "ID of the organisation or member; null where it is not your own",
            "{r}.own_owner_id",
            nullable=True,
        ),
        WALLET_OWNER[1],
        number("balance", "Units not under lien", "{r}.available + {r}.reserved"),
        number("lien", "Units that secure loans; not part of `balance`"),
        number("available", "Units that can be pledged, offered or sold"),
        number("reserved", "Units reserved for open sell orders"),
    ),
    example=examples.HOLDER,
)
