"""Transfers between wallets by the service."""

import json
from decimal import Decimal
from typing import Any

from tests.factories.wallets import SYSTEM, Wallet
from wallets.transfers.commands import TransferMoney
from wallets.transfers.models import WalletTransfer
from wallets.transfers.services import transfer_money


def order_transfer(
    source: Wallet, target: Wallet, amount: str | int | Decimal, currency: str = "KES", **more: Any
) -> TransferMoney:
    """Return the command of a transfer."""
    return TransferMoney(
        organisation=source.organisation.id,
        member=source.member_id,
        payee=target.member_id,
        actor=str(SYSTEM),
        amount=Decimal(amount),
        currency=currency,
        **more,
    )


def transfer(
    source: Wallet, target: Wallet, amount: str | int | Decimal, currency: str = "KES", **more: Any
) -> WalletTransfer:
    """Move money from `source` to `target` and return the record."""
    response = transfer_money(order_transfer(source, target, amount, currency, **more))
    return WalletTransfer.objects.get(id=json.loads(response.data)["_id"])
