"""Columns of exported treasury movements."""

from __future__ import annotations

from exchange.exports.sheets import Column
from wallets.ledger.admin.export_columns import name_of

TREASURY_MOVEMENTS: tuple[Column, ...] = (
    Column("Proposed (UTC)", lambda m: m.created_at),
    Column("Kind", lambda m: m.get_kind_display()),
    Column("Status", lambda m: m.status),
    Column("Reference", lambda m: m.reference),
    Column("Currency", lambda m: m.currency_id),
    Column("Amount", lambda m: m.amount),
    Column("Provider's charge", lambda m: m.charge),
    Column("Bought currency", lambda m: m.bought_currency_id or ""),
    Column("Bought amount", lambda m: m.bought_amount),
    Column("Position closed", lambda m: m.closed_amount),
    Column("Note", lambda m: m.note),
    Column("Proposed by", lambda m: name_of(m.proposed_by)),
    Column("Decided (UTC)", lambda m: m.decided_at),
    Column("Decided by", lambda m: name_of(m.decided_by)),
    Column("Reason", lambda m: m.reason),
    Column("Movement ID", lambda m: str(m.pk)),
)
