"""Columns of exported conversions."""

from __future__ import annotations

from exchange.exports.sheets import Column
from wallets.ledger.admin.export_columns import kind_of_owner, owner_of

CONVERSIONS: tuple[Column, ...] = (
    Column("Time (UTC)", lambda c: c.created_at),
    Column("Organisation", lambda c: c.organisation.name),
    Column("Owner", owner_of),
    Column("Owner type", kind_of_owner),
    Column("Owner ID", lambda c: str(c.owner_id)),
    Column("From", lambda c: c.from_currency_id),
    Column("Amount", lambda c: c.amount),
    Column("To", lambda c: c.to_currency_id),
    Column("Converted amount", lambda c: c.converted_amount),
    Column("Spread income", lambda c: c.fee),
    Column("Rate", lambda c: c.rate),
    Column("From per USD", lambda c: c.from_rate),
    Column("To per USD", lambda c: c.to_rate),
    Column("Status", lambda c: c.status),
    Column("Quote ID", lambda c: str(c.quote_id)),
    Column("Conversion ID", lambda c: str(c.pk)),
)
