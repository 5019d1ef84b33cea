"""Wire format of members and balances, declared once. Not stored: the selectors evaluate it."""

from dataclasses import replace

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.documents import Document, WireField, boolean, number, text
from exchange.participants import payloads as participants
from wallets.ledger.payloads import WALLET_OWNER
from wallets.owners import examples

FROZEN_HELP = "Whether the exchange has frozen the owner, or this currency of it"

FREEZES = WireField(
    "freezes",
    """(
        SELECT '[' || coalesce(string_agg(
            '{"_id":"' || f.id || '","currency":'
            || coalesce(to_json(f.currency_id)::text, 'null') || '}',
            ',' ORDER BY f.created_at, f.id), '') || ']'
        FROM wallets_freeze f WHERE f.owner_id = {r}.id AND f.lifted_at IS NULL)""",
    {
        "type": "array",
        "description": "Freezes in effect, oldest first: while there is one, nothing leaves",
        "items": {
            "type": "object",
            "properties": {
                "_id": {"type": "string", "format": "uuid", "description": "Freeze ID"},
                "currency": {
                    "type": ["string", "null"],
                    "description": "What is frozen; null: every currency and all units",
                },
            },
            "required": ["_id", "currency"],
        },
    },
)

DEBTS = WireField(
    "debts",
    """(
        SELECT '[' || coalesce(string_agg(
            '{"currency":"' || a.asset_id || '","owed":' || trim_scale(-a.balance) || '}',
            ',' ORDER BY a.asset_id), '') || ']'
        FROM wallets_account a
        WHERE a.owner_id = {r}.id AND a.kind = 'receivable' AND a.balance < 0)""",
    {
        "type": "array",
        "description": "What the member owes the exchange, by currency",
        "items": {
            "type": "object",
            "properties": {
                "currency": {"type": "string", "description": "Currency code"},
                "owed": {
                    "type": "number",
                    "description": "The `receivable` of the wallet, above zero",
                },
            },
            "required": ["currency", "owed"],
        },
    },
)

MEMBER = replace(
    participants.MEMBER,
    fields=(*participants.MEMBER.fields, FREEZES, DEBTS),
    example=examples.MEMBER,
)


# One currency of one wallet, summed over its accounts.
BALANCE = Document(
    name="Balance",
    table="wallets_account",
    fields=(
        *WALLET_OWNER,
        text("currency", "Currency code", "{r}.asset_id", enum=list(WALLET_CURRENCIES)),
        number("available", "Can be spent"),
        number("escrow", "Held for open withdrawals"),
        number("reserved", "Held for open orders"),
        number("lien", "Cash collateral of loans: what pledged units paid"),
        number("uncleared", "Arrived, and not available until its deposit clears"),
        number("receivable", "Owed to the exchange; credits repay it first", "abs({r}.receivable)"),
        number(
            "total",
            "All of these, less what is owed; as in statements",
            "{r}.available + {r}.escrow + {r}.reserved + {r}.lien + {r}.uncleared + {r}.receivable",
        ),
        boolean(
            "frozen",
            FROZEN_HELP,
            """EXISTS (
                SELECT FROM wallets_freeze f
                WHERE f.owner_id = coalesce({r}.member_id, {r}.organisation_id)
                    AND f.lifted_at IS NULL
                    AND (f.currency_id IS NULL OR f.currency_id = {r}.asset_id))""",
        ),
    ),
    example=examples.BALANCE,
)
