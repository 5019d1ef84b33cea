"""Columns of exported treasury movements."""

from exchange.exports.sheets import SheetColumn
from wallets.ledger.admin.export_columns import name_of

TREASURY_MOVEMENTS: tuple[SheetColumn, ...] = (
    SheetColumn("Proposed (UTC)", lambda m: m.created_at),
    SheetColumn("Kind", lambda m: m.get_kind_display()),
    SheetColumn("Status", lambda m: m.status),
    SheetColumn("Reference", lambda m: m.reference),
    SheetColumn("Currency", lambda m: m.currency_id),
    SheetColumn("Amount", lambda m: m.amount),
    SheetColumn("Provider's charge", lambda m: m.charge),
    SheetColumn("Bought currency", lambda m: m.bought_currency_id or ""),
    SheetColumn("Bought amount", lambda m: m.bought_amount),
    SheetColumn("Position closed", lambda m: m.closed_amount),
    SheetColumn("Note", lambda m: m.note),
    SheetColumn("Proposed by", lambda m: name_of(m.proposed_by)),
    SheetColumn("Decided (UTC)", lambda m: m.decided_at),
    SheetColumn("Decided by", lambda m: name_of(m.decided_by)),
    SheetColumn("Reason", lambda m: m.reason),
    SheetColumn("Movement ID", lambda m: str(m.pk)),
)
