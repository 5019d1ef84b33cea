"""Columns of exported conversions."""

from exchange.exports.sheets import SheetColumn
from wallets.ledger.admin.export_columns import kind_of_owner, owner_of

CONVERSIONS: tuple[SheetColumn, ...] = (
    SheetColumn("Time (UTC)", lambda c: c.created_at),
    SheetColumn("Organisation", lambda c: c.organisation.name),
    SheetColumn("Owner", owner_of),
    SheetColumn("Owner type", kind_of_owner),
    SheetColumn("Owner ID", lambda c: str(c.owner_id)),
    SheetColumn("From", lambda c: c.from_currency_id),
    SheetColumn("Amount", lambda c: c.amount),
    SheetColumn("To", lambda c: c.to_currency_id),
    SheetColumn("Converted amount", lambda c: c.converted_amount),
    SheetColumn("Spread income", lambda c: c.fee),
    SheetColumn("Rate", lambda c: c.rate),
    SheetColumn("From per USD", lambda c: c.from_rate),
    SheetColumn("To per USD", lambda c: c.to_rate),
    SheetColumn("Status", lambda c: c.status),
    SheetColumn("Quote ID", lambda c: str(c.quote_id)),
    SheetColumn("Conversion ID", lambda c: str(c.pk)),
)
