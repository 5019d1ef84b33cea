"""Columns of exported freezes."""

from exchange.exports.sheets import SheetColumn
from wallets.ledger.admin.export_columns import kind_of_owner, name_of, owner_of

FREEZES: tuple[SheetColumn, ...] = (
    SheetColumn("Frozen (UTC)", lambda f: f.created_at),
    SheetColumn("Status", lambda f: f.state),
    SheetColumn("Organisation", lambda f: f.organisation.name),
    SheetColumn("Owner", owner_of),
    SheetColumn("Owner type", kind_of_owner),
    SheetColumn("Owner ID", lambda f: str(f.owner_id)),
    SheetColumn("Frozen", lambda f: f.scope),
    SheetColumn("Reason", lambda f: f.reason),
    SheetColumn("Frozen by", lambda f: name_of(f.placed_by)),
    SheetColumn("Lifted (UTC)", lambda f: f.lifted_at),
    SheetColumn("Freeze ID", lambda f: str(f.pk)),
)
