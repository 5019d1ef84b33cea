"""Texts of assets, amounts and owners on the pages of the ledger."""

from typing import Any

from django.db.models import Model

from exchange.core.currencies import format_money
from wallets.ledger.admin.signs import natural_amount
from wallets.ledger.models import Account, AccountKind, Asset

# Meaning of a positive balance, by kind of account.
ACCOUNT_DESCRIPTIONS: dict[str, str] = {
    AccountKind.AVAILABLE: "Available to spend or withdraw",
    AccountKind.ESCROW: "Held for open withdrawals",
    AccountKind.LIEN: "Units pledged for loans, and what they paid",
    AccountKind.RESERVED: "Held for open orders",
    AccountKind.UNSOLD: "Units offered in a raise, not yet sold",
    AccountKind.RAISE: "Proceeds of an open raise",
    AccountKind.UNCLEARED: "Arrived, not yet available",
    AccountKind.RECEIVABLE: "Owed to the exchange by the owner",
    AccountKind.CLEARING: "Held by the payment provider for the exchange",
    AccountKind.FEES: "Fees earned by the exchange",
    AccountKind.EXPENSES: "Charges of the payment provider",
    AccountKind.ISSUANCE: "Units issued",
    AccountKind.UNMATCHED: "Payments without a known owner",
    AccountKind.TREASURY: "The exchange's own money at the payment provider",
    AccountKind.DISTRIBUTION: "Paid in by issuers, not yet paid to holders",
    AccountKind.TAX: "Withheld of income, not yet remitted to the tax authority",
    AccountKind.POSITION: "Bought from clients in conversions, not yet sold",
    AccountKind.PRINCIPAL: "Principal lent and outstanding",
    AccountKind.INTEREST: "Interest earned by the creditor",
    AccountKind.LOANS: "Outstanding loans and earned interest of all creditors",
}


def asset_name(asset: Asset) -> str:
    """Return the currency's code or the token's symbol."""
    return asset.token.symbol if asset.token else asset.pk


def format_amount(amount: Any, asset: Asset) -> str:
    """Format an amount with its currency, or units with the token's symbol."""
    if asset.token is None or amount is None:
        return format_money(amount, asset.pk)
    return f"{format_money(amount, asset.pk).removesuffix(' units')} {asset.token.symbol}"


def format_account_amount(amount: Any, account: Account) -> str:
    """Format an amount of `account`, positive for what it normally holds."""
    return format_amount(natural_amount(amount, account.kind), account.asset)


def account_owner(account: Account) -> Model | str:
    """Return the member, the organisation, or "The exchange"."""
    return account.member or account.organisation or "The exchange"
