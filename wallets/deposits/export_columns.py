"""Columns of exported deposits."""

from __future__ import annotations

from exchange.exports.sheets import Column
from wallets.ledger.admin.export_columns import kind_of_owner, name_of, owner_of

DEPOSITS: tuple[Column, ...] = (
    Column("Reference", lambda d: d.reference),
    Column("Status", lambda d: d.state),
    Column("Channel", lambda d: d.channel_name),
    Column("Entered (UTC)", lambda d: d.created_at),
    Column("Entered by", lambda d: name_of(d.entered_by)),
    Column("Organisation", lambda d: d.organisation.name),
    Column("Owner", owner_of),
    Column("Owner type", kind_of_owner),
    Column("Owner ID", lambda d: str(d.owner_id)),
    Column("Currency", lambda d: d.currency_id),
    Column("Amount", lambda d: d.amount),
    Column("Provider's charge", lambda d: d.provider_fee),
    Column("Net amount", lambda d: d.net_amount),
    Column("Payer", lambda d: d.payer_name),
    Column("Provider's reference", lambda d: d.provider_reference),
    Column("Client reference", lambda d: d.client_reference or ""),
    Column("Note", lambda d: d.note),
    Column("Decided (UTC)", lambda d: d.decided_at),
    Column("Decided by", lambda d: name_of(d.decided_by)),
    Column("Reason", lambda d: d.reason),
    Column("Deposit ID", lambda d: str(d.pk)),
)
