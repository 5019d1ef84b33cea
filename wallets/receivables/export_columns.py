"""Columns of exported receivables."""

from exchange.exports.sheets import SheetColumn
from wallets.ledger.admin.export_columns import kind_of_owner, name_of, owner_of

RECEIVABLES: tuple[SheetColumn, ...] = (
    SheetColumn("Owner", owner_of),
    SheetColumn("Owner type", kind_of_owner),
    SheetColumn("Owner ID", lambda debt: str(debt.owner_id)),
    SheetColumn("Organisation", lambda debt: name_of(debt.organisation)),
    SheetColumn("Currency", lambda debt: debt.asset_id),
    SheetColumn("Owed", lambda debt: debt.owed),
    SheetColumn("Owed since (UTC)", lambda debt: debt.since),
    SheetColumn("Account ID", lambda debt: str(debt.pk)),
)
