"""How the pages of the ledger name assets, amounts and owners."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from wallets.admin.show import money
from wallets.models import Account, Asset


def asset_name(asset: Asset) -> str:
    """The currency's code or the token's symbol."""
    return asset.token.symbol if asset.token else asset.pk


def amount_of(amount: Any, asset: Asset) -> str:
    """An amount of a currency, or units by the token's symbol."""
    if asset.token is None or amount is None:
        return money(amount, asset.pk)
    return f"{money(amount, asset.pk).removesuffix(' units')} {asset.token.symbol}"


def owner_of(account: Account) -> Model | str:
    """The member, the organisation, or the exchange itself."""
    return account.member or account.organisation or "The exchange"
