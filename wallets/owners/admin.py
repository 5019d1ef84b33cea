"""What an owner has, on its page: total value, money by currency, and units with their values."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import DecimalField, F, Q, QuerySet, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section, Tool
from exchange.admin.display import status_badge
from exchange.admin.panels import Panel
from exchange.core.currencies import currencies, format_money
from exchange.core.numbers import format_grouped, round_half_even
from exchange.participants.models import Member, Verification
from wallets.ledger.admin.accounts import wallet_link
from wallets.ledger.admin.signs import natural_amount
from wallets.ledger.models import Account, AccountKind
from wallets.owners.value import OwnerValue, value_of

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
    """What an owner has: value, money by currency, and units with their values."""

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return both tables, for those who may view accounts."""
        if not page.may(request, VIEW_ACCOUNTS):
            return ()
        wallet = wallet_link(record)
        units = Account.objects.filter(owner_id=record.pk, asset__token__isnull=False).order_by()
        may_open = page.may(request, VIEW_TOKENS)
        return (_balances(record, wallet), _units(units, wallet, may_open=may_open))


def _facts(owner: Any, value: OwnerValue) -> list[tuple[str, object]]:
    """Return total value, uncleared money and a verification that is missing."""
    without = f" without {', '.join(value.unrated)}" if value.unrated else ""
    facts: list[tuple[str, object]] = [
        ("Total value", f"{format_money(value.total, 'USD')}{without}")
    ]
    if value.uncleared:
        facts.append(("Uncleared", format_money(value.uncleared, "USD")))
    if isinstance(owner, Member) and owner.verification != Verification.VERIFIED:
        facts.append(("Verification", status_badge(owner.get_verification_display(), "waiting")))
    return facts


def _balances(owner: Any, wallet: Tool) -> Section:
    value = value_of(owner.pk)
    found = value.balances
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
        facts=_facts(owner, value),
    )


def _money(balance: Decimal | None, kind: str, currency: str) -> str:
    amount = natural_amount(balance or Decimal(0), kind)
    return format_money(amount, currency).removesuffix(f" {currency}")


def _units(units: QuerySet[Account], wallet: Tool, *, may_open: bool) -> Section:
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
