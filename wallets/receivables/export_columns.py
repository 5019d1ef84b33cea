"""Columns of exported receivables."""

from __future__ import annotations

from exchange.exports.sheets import Column
from wallets.ledger.admin.export_columns import kind_of_owner, name_of, owner_of

RECEIVABLES: tuple[Column, ...] = (
    Column("Owner", owner_of),
    Column("Owner type", kind_of_owner),
    Column("Owner ID", lambda debt: str(debt.owner_id)),
    Column("Organisation", lambda debt: name_of(debt.organisation)),
    Column("Currency", lambda debt: debt.asset_id),
    Column("Owed", lambda debt: debt.owed),
    Column("Owed since (UTC)", lambda debt: debt.since),
    Column("Account ID", lambda debt: str(debt.pk)),
)
