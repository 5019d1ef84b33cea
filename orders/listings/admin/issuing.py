"""Ledger sections of a token's page, and the form that lists a new token.

`orders.listings.admin.tokens` puts both on the token pages.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import Q, Sum
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import Section, Tool
from exchange.admin.display import format_time, kind_label, record_link
from exchange.core.models import Currency
from exchange.core.numbers import format_units
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.participants.selectors import describe_actors
from exchange.tokens.admin.forms import QuantityInput, TokenTermsForm
from exchange.tokens.models import Token
from orders.listings.selectors import OWNED_KINDS
from orders.listings.services.listing import Listing
from wallets.deposits.admin.owner_choice import MemberChoice
from wallets.ledger.models import Account, AccountKind, Transfer

_MAX_HOLDERS = 20
_MAX_TRANSFERS = 20
_HOLDING_LABELS = {
    AccountKind.AVAILABLE: "Available",
    AccountKind.RESERVED: "In sell orders",
    AccountKind.LIEN: "Pledged as collateral",
    AccountKind.UNSOLD: "Unsold in the raise",
}


class ListingForm(TokenTermsForm):
    """A new token: issuer, units, initial quotes, raise and terms."""

    issuer = OrganisationChoiceField()
    creator = MemberChoice(required=False, help_text="Optional; a member of the issuer")
    symbol = forms.CharField(max_length=20, help_text="Unique; cannot be changed later")
    currency = forms.ModelChoiceField(queryset=Currency.objects.all())
    total_supply = QuantityInput(required=True, help_text="Total number of units")
    price_buy = QuantityInput(
        required=True, label="Buy price", help_text="Per unit; in a raise, the offer price"
    )
    price_sell = QuantityInput(required=True, label="Sell price", help_text="Per unit")
    price_exchange = QuantityInput(label="Units of the currency per USD", help_text="0: not set")
    raise_amount = QuantityInput(label="Raise target", help_text="0: no raise")
    offered = QuantityInput(label="Units offered", help_text="In the raise; 0: all units")
    secondaries = forms.BooleanField(
        required=False, help_text="From listing; after a raise, open it on the token's page"
    )

    groups = [
        (
            "Issue",
            ["issuer", "creator", "symbol", "currency", "total_supply"],
        ),
        (
            "Initial quotes and raise",
            [
                ("price_buy", "price_sell"),
                "price_exchange",
                ("raise_amount", "offered"),
                "secondaries",
            ],
        ),
        *TokenTermsForm.groups,
    ]


def build_listing(data: dict[str, Any]) -> Listing:
    """Build the listing from the cleaned data of a `ListingForm`."""
    facts = {name: value for name, value in data.items() if name not in {"issuer", "creator"}}
    facts["currency"] = data["currency"].code
    facts["offered"] = data["offered"] or None
    facts["creator_id"] = data["creator"].pk if data["creator"] else None
    return Listing(**facts)


def summarise_supply(token: Token) -> Section:
    """Return the units by account kind, and the number of holders."""
    accounts = _accounts(token)
    sums = dict(accounts.values_list("kind").annotate(Sum("balance")))
    total = sum(sums.values(), Decimal(0))
    rows: list[Sequence[object]] = [
        (label, format_units(sums[kind]))
        for kind, label in _HOLDING_LABELS.items()
        if sums.get(kind)
    ]
    rows.append(("Total", format_units(total)))
    retired = token.total_supply - total
    if retired:
        rows.append(("Retired", format_units(retired)))
    rows.append(("Holders", f"{count_holders(token):,}"))
    held = format_units(token.supply - retired)
    title = f"Supply: {format_units(token.total_supply)}, {held} in circulation"
    return Section(title, ("Held as", "Units"), rows, right=(1,))


def count_holders(token: Token) -> int:
    """Return the number of owners who hold units."""
    held = _accounts(token).filter(kind__in=OWNED_KINDS, balance__gt=0)
    return int(held.values("owner_id").distinct().count())


def list_largest_holders(token: Token) -> Section:
    """Return the largest holders."""
    found = (
        _accounts(token)
        .filter(kind__in=OWNED_KINDS, balance__gt=0)
        .values("owner_id", "organisation__name", "member__name")
        .annotate(
            owned=Sum("balance"),
            **{
                f"in_{kind.value}": Sum("balance", filter=Q(kind=kind), default=Decimal(0))
                for kind in OWNED_KINDS
            },
        )
        .order_by("-owned", "owner_id")[:_MAX_HOLDERS]
    )
    wallets = reverse("admin:wallets_account_changelist")
    rows = [
        (
            format_html(
                '<a href="{}?owner_id={}">{}</a>',
                wallets,
                row["owner_id"],
                row["member__name"] or row["organisation__name"],
            ),
            row["organisation__name"] if row["member__name"] else "-",
            *(format_units(row[f"in_{kind.value}"]) for kind in OWNED_KINDS),
            format_units(row["owned"]),
            f"{row['owned'] / token.total_supply * 100:.1f} %",
        )
        for row in found
    ]
    headings = (
        "Owner", "Organisation", "Available", "In sell orders", "Pledged", "Total",
        "Share of supply",
    )  # fmt: skip
    every = Tool("All accounts of this token", f"{wallets}?asset__id__exact={token.pk}")
    title = "Largest holders"
    return Section(title, headings, rows, right=(2, 3, 4, 5, 6), empty="No holders.", more=every)


def list_token_transfers(token: Token) -> Section:
    """Return the transfers of the token itself: issue, raise completion, retirement of units."""
    found = list(
        Transfer.objects.filter(subject_id=token.pk).order_by("-created_at", "-id")[:_MAX_TRANSFERS]
    )
    rows = [
        (format_time(transfer.created_at), record_link(transfer, kind_label(transfer)), who)
        for transfer, who in zip(found, describe_actors([t.actor for t in found]), strict=True)
    ]
    return Section("Ledger", ("Time (UTC)", "Transfer", "By"), rows)


def _accounts(token: Token) -> Any:
    return Account.objects.filter(asset_id=str(token.pk), organisation__isnull=False)
