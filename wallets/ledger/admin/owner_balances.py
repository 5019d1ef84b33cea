"""The balances and the units of an owner on the page of an organisation or a member."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import DecimalField, F, Q, QuerySet, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section, Tool
from exchange.admin.panels import Panel
from exchange.core.currencies import currencies, format_money
from exchange.core.numbers import format_grouped, round_half_even
from wallets.ledger.admin.signs import natural_amount
from wallets.ledger.models import Account, AccountKind

VIEW_ACCOUNTS, VIEW_TOKENS = "wallets.view_account", "exchange.view_token"
_TOKENS = 20
# Columns of balances: always shown, and shown where the owner has such an account.
_ALWAYS = {
    AccountKind.AVAILABLE: "Available",
    AccountKind.UNCLEARED: "Uncleared",
    AccountKind.ESCROW: "Escrow",
    AccountKind.RESERVED: "Reserved",
    AccountKind.RECEIVABLE: "Owed",
}
_SOME = {
    AccountKind.LIEN: "Cash collateral",
    AccountKind.RAISE: "Raise",
    AccountKind.PRINCIPAL: "Principal lent",
    AccountKind.INTEREST: "Interest earned",
}
_HELD = (AccountKind.AVAILABLE, AccountKind.RESERVED, AccountKind.LIEN)
_VALUE: Any = DecimalField(max_digits=54, decimal_places=16)


class BalancesPanel(Panel):
    """What an owner has: money by currency, and units with their values."""

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return both tables, for those who may view accounts."""
        if not page.may(request, VIEW_ACCOUNTS):
            return ()
        address = f"{reverse('admin:wallets_account_changelist')}?owner_id={record.pk}"
        accounts = Account.objects.filter(owner_id=record.pk).order_by()
        wallet = Tool("Accounts", address)
        may_open = page.may(request, VIEW_TOKENS)
        return (_balances(accounts, wallet), _units(accounts, wallet, may_open=may_open))


def _balances(accounts: QuerySet[Account], wallet: Tool) -> Section:
    found: dict[str, dict[str, Decimal | None]] = {}
    money = accounts.filter(asset__currency__isnull=False)
    for currency, kind, balance in money.values_list("asset_id", "kind", "balance"):
        found.setdefault(currency, {})[kind] = balance
    present = {kind for balances in found.values() for kind in balances}
    columns = {**_ALWAYS, **{kind: label for kind, label in _SOME.items() if kind in present}}
    rows = [
        (currency, *(_money(found[currency].get(kind), kind, currency) for kind in columns))
        for currency in currencies()
        if currency in found
    ]
    return Section(
        "Balances",
        ("Currency", *columns.values()),
        rows,
        right=range(1, len(columns) + 1),
        empty="No money yet.",
        more=wallet if rows else None,
    )


def _money(balance: Decimal | None, kind: str, currency: str) -> str:
    amount = natural_amount(balance or Decimal(0), kind)
    return format_money(amount, currency).removesuffix(f" {currency}")


def _units(accounts: QuerySet[Account], wallet: Tool, *, may_open: bool) -> Section:
    units = accounts.filter(asset__token__isnull=False)
    tokens = (
        units.values(
            "asset__token", "asset__token__symbol", "asset__token__currency",
            "asset__token__price_sell",
        )
        .annotate(
            **{kind.value: Sum("balance", filter=Q(kind=kind), default=0) for kind in _HELD},
            unsold=Sum("balance", filter=Q(kind=AccountKind.UNSOLD), default=0),
            everything=Sum("balance"),
        )
        .filter(everything__gt=0)
        .order_by("asset__token__symbol")
    )  # fmt: skip
    found = list(tokens[: _TOKENS + 1])
    with_unsold = any(row["unsold"] for row in found)
    rows = [_unit_cells(row, with_unsold=with_unsold, may_open=may_open) for row in found[:_TOKENS]]
    held = ("Available", "Reserved", "Pledged", *(("Unsold",) if with_unsold else ()))
    headings = ("Token", *held, "Sell price", "Value")
    notes = [_describe_totals(units)] if found else []
    if len(found) > _TOKENS:
        notes.append(f"The first {_TOKENS} tokens by symbol.")
    return Section(
        "Units",
        headings,
        rows,
        right=range(1, len(headings)),
        empty="No units.",
        more=wallet if rows else None,
        note=" ".join(notes),
    )


def _unit_cells(row: Mapping[str, Any], *, with_unsold: bool, may_open: bool) -> tuple[object, ...]:
    symbol, currency = row["asset__token__symbol"], row["asset__token__currency"]
    price = row["asset__token__price_sell"]
    address = reverse("admin:exchange_token_change", args=[row["asset__token"]])
    held = [row[kind.value] for kind in _HELD]
    counted = [*held, row["unsold"]] if with_unsold else held
    return (
        format_html('<a href="{}">{}</a>', address, symbol) if may_open else symbol,
        *(format_grouped(units) for units in counted),
        format_money(price, currency),
        format_value(sum(held) * price, currency),
    )


def _describe_totals(units: QuerySet[Account]) -> str:
    """Return the value of all units that are held, at sell prices."""
    totals: Iterable[tuple[str, Decimal]] = (
        units.filter(kind__in=_HELD)
        .values_list("asset__token__currency")
        .annotate(total=Sum(F("balance") * F("asset__token__price_sell"), output_field=_VALUE))
        .order_by("asset__token__currency")
    )
    values = [format_value(total, currency) for currency, total in totals]
    return f"All units that are held, at sell prices: {', '.join(values)}." if values else ""


def format_value(value: Decimal, currency: str) -> str:
    """Format the value of units, rounded half-even to the currency."""
    return format_money(round_half_even(value, currencies()[currency].decimals), currency)
