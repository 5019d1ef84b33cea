"""Columns of exported adjusting entries."""

from exchange.exports.sheets import SheetColumn
from wallets.ledger.admin.export_columns import name_of

ADJUSTING_ENTRIES: tuple[SheetColumn, ...] = (
    SheetColumn("Proposed (UTC)", lambda e: e.created_at),
    SheetColumn("Kind", lambda e: e.get_kind_display()),
    SheetColumn("Status", lambda e: e.status),
    SheetColumn("Currency", lambda e: e.currency_id),
    SheetColumn("Account", lambda e: e.get_account_display()),
    SheetColumn("Provider holds", lambda e: e.get_direction_display()),
    SheetColumn("Amount", lambda e: e.amount),
    SheetColumn("Note", lambda e: e.note),
    SheetColumn("Proposed by", lambda e: name_of(e.proposed_by)),
    SheetColumn("Decided (UTC)", lambda e: e.decided_at),
    SheetColumn("Decided by", lambda e: name_of(e.decided_by)),
    SheetColumn("Reason", lambda e: e.reason),
    SheetColumn("Break ID", lambda e: str(e.settles_id or "")),
    SheetColumn("Entry ID", lambda e: str(e.pk)),
)
