"""Columns of exported transfers between wallets."""

from exchange.exports.sheets import SheetColumn
from wallets.transfers.models import WalletTransfer


def _model_of(member_id: object) -> str:
    return "Organisation" if member_id is None else "Member"


def _from(transfer: WalletTransfer) -> str:
    return str(transfer.from_member or transfer.organisation)


def _to(transfer: WalletTransfer) -> str:
    return str(transfer.to_member or transfer.organisation)


WALLET_TRANSFERS: tuple[SheetColumn, ...] = (
    SheetColumn("Time (UTC)", lambda t: t.created_at),
    SheetColumn("Organisation", lambda t: t.organisation.name),
    SheetColumn("From", _from),
    SheetColumn("From type", lambda t: _model_of(t.from_member_id)),
    SheetColumn("From ID", lambda t: str(t.payer_id)),
    SheetColumn("To", _to),
    SheetColumn("To type", lambda t: _model_of(t.to_member_id)),
    SheetColumn("To ID", lambda t: str(t.payee_id)),
    SheetColumn("Currency", lambda t: t.currency_id),
    SheetColumn("Amount", lambda t: t.amount),
    SheetColumn("Status", lambda t: t.status),
    SheetColumn("Client reference", lambda t: t.client_reference),
    SheetColumn("Transfer ID", lambda t: str(t.pk)),
)
