"""How the pages of the ledger name assets, amounts and owners."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from exchange.core.currencies import format_money
from wallets.ledger.admin.signs import natural_amount
from wallets.ledger.models import Account, AccountKind, Asset

# What a positive balance of each kind of account is.
ACCOUNT_DESCRIPTIONS: dict[str, str] = {
    AccountKind.AVAILABLE: "What the owner can spend",
    AccountKind.ESCROW: "What open withdrawals hold",
    AccountKind.LIEN: "Units pledged for loans",
    AccountKind.RESERVED: "What open orders hold",
    AccountKind.UNSOLD: "Units offered in a raise and not sold",
    AccountKind.RAISE: "Proceeds of a raise that is open",
    AccountKind.CLEARING: "Money that the payment provider holds for the exchange",
    AccountKind.FEES: "Fees that the exchange has earned",
    AccountKind.EXPENSES: "Charges that the payment provider has taken",
    AccountKind.ISSUANCE: "Units issued",
    AccountKind.PRINCIPAL: "What the creditor has lent and is owed",
    AccountKind.INTEREST: "Interest that the creditor has earned",
    AccountKind.LOANS: "Loans outstanding and interest earned, of all creditors",
}


def asset_name(asset: Asset) -> str:
    """The currency's code or the token's symbol."""
    return asset.token.symbol if asset.token else asset.pk


def format_amount(amount: Any, asset: Asset) -> str:
    """An amount of a currency, or units by the token's symbol."""
    if asset.token is None or amount is None:
        return format_money(amount, asset.pk)
    return f"{format_money(amount, asset.pk).removesuffix(' units')} {asset.token.symbol}"


def format_account_amount(amount: Any, account: Account) -> str:
    """An entry or the balance of `account`, positive for what it normally holds."""
    return format_amount(natural_amount(amount, account.kind), account.asset)


def account_owner(account: Account) -> Model | str:
    """The member, the organisation, or the exchange itself."""
    return account.member or account.organisation or "The exchange"
