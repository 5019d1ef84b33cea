"""Columns of exported freezes."""

from __future__ import annotations

from exchange.exports.sheets import Column
from wallets.ledger.admin.export_columns import kind_of_owner, name_of, owner_of

FREEZES: tuple[Column, ...] = (
    Column("Frozen (UTC)", lambda f: f.created_at),
    Column("Status", lambda f: f.state),
    Column("Organisation", lambda f: f.organisation.name),
    Column("Owner", owner_of),
    Column("Owner type", kind_of_owner),
    Column("Owner ID", lambda f: str(f.owner_id)),
    Column("Frozen", lambda f: f.scope),
    Column("Reason", lambda f: f.reason),
    Column("Frozen by", lambda f: name_of(f.placed_by)),
    Column("Lifted (UTC)", lambda f: f.lifted_at),
    Column("Freeze ID", lambda f: str(f.pk)),
)
