"""Columns of exported transfers between wallets."""

from __future__ import annotations

from exchange.exports.sheets import Column
from wallets.transfers.models import WalletTransfer


def _model_of(member_id: object) -> str:
    return "Organisation" if member_id is None else "Member"


def _from(transfer: WalletTransfer) -> str:
    return str(transfer.from_member or transfer.organisation)


def _to(transfer: WalletTransfer) -> str:
    return str(transfer.to_member or transfer.organisation)


WALLET_TRANSFERS: tuple[Column, ...] = (
    Column("Time (UTC)", lambda t: t.created_at),
    Column("Organisation", lambda t: t.organisation.name),
    Column("From", _from),
    Column("From type", lambda t: _model_of(t.from_member_id)),
    Column("From ID", lambda t: str(t.payer_id)),
    Column("To", _to),
    Column("To type", lambda t: _model_of(t.to_member_id)),
    Column("To ID", lambda t: str(t.payee_id)),
    Column("Currency", lambda t: t.currency_id),
    Column("Amount", lambda t: t.amount),
    Column("Status", lambda t: t.status),
    Column("Client reference", lambda t: t.client_reference),
    Column("Transfer ID", lambda t: str(t.pk)),
)
