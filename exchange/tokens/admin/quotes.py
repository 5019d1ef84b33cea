"""Quotes under dual control: proposed on a token's page, approved by a second person.

The list leads to the token's page that proposes them.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import lazy

from exchange.admin.base import Section
from exchange.admin.columns import column, link_column
from exchange.admin.confirmation import Confirmation
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import age, difference, record_link, status_badge
from exchange.admin.fields import (
    INTERNAL,
    AmountInput,
    MoneyField,
    ReasonForm,
    audience_help,
    set_currency,
)
from exchange.admin.forms import ModelChoice, RecordSelect, bind_form
from exchange.admin.list_filters import ListFilters, currency_filter, day_range
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close
from exchange.staff.models import ApprovalStatus
from exchange.staff.plausibility import ProposedNumber, band_of, find_notices
from exchange.tokens.models import Quote, Token
from exchange.tokens.services import quotes

PROPOSE_PERMISSION = "exchange.propose_quote"


def _reason_help() -> str:
    rule = f"Required when a price changes by more than {band_of('quote')} %"
    return audience_help(INTERNAL, f"Source of the prices. {rule}")


class PriceForm(forms.Form):
    """New prices of one unit."""

    buy = MoneyField(help_text="What a buyer pays per unit; in a raise, the offer price")
    sell = MoneyField(
        help_text="What a seller receives per unit; lending values collateral at this price"
    )
    exchange = AmountInput(
        label="Units of the currency per USD", required=False, help_text="0 or empty: none"
    )
    note = forms.CharField(
        label="Reason",
        max_length=300,
        required=False,
        help_text=lazy(_reason_help, str)(),
    )

    def __init__(self, currency: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("buy", "sell"):
            set_currency(self.fields[name], currency)
        self.fields["exchange"].label = f"{currency} per USD"


class TokenChoiceForm(forms.Form):
    """The token whose prices are proposed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        widget = RecordSelect(Quote._meta.get_field("token"), admin.site)
        self.fields["token"] = ModelChoice(queryset=Token.objects.all(), widget=widget)


def read_prices(typed: Mapping[str, Any]) -> quotes.Prices:
    """Return the prices of a valid `PriceForm`."""
    return quotes.Prices(typed["buy"], typed["sell"], typed["exchange"] or Decimal(0))


class QuoteFilters(ListFilters):
    decision, status__exact = approval_filters("Quotes to approve", quotes.QUOTES)
    token__currency__code__exact = currency_filter("token__currency")
    day_from, day_to = day_range()


@admin.register(Quote)
class QuoteAdmin(AddFormAdmin, ProposalAdmin):
    approval = quotes.QUOTES
    approve_step = Step(
        "approve",
        "quote_id",
        quotes.approve,
        lambda quote: (
            f"Approved. {quote.token.symbol} is now quoted at {_money(quote, quote.buy)} to buy and"
            f" {_money(quote, quote.sell)} to sell."
        ),
    )
    reject_step = Step(
        "reject",
        "quote_id",
        quotes.reject,
        lambda quote: (
            "Proposal cancelled. Prices are unchanged."
            if quote.decided_by_id == quote.proposed_by_id
            else "Quote rejected. Prices are unchanged."
        ),
        ReasonForm,
        # Its proposer may always cancel a quote.
        permission="exchange.view_quote",
    )
    add_permission = PROPOSE_PERMISSION
    add_label = "Propose prices"
    filters = QuoteFilters
    list_display = (
        "proposed_time", "symbol", "state_display", "buy_display", "sell_display", "proposed_by",
        "decided_by", "decided_time",
    )  # fmt: skip
    list_select_related = ("token__currency", "proposed_by", "decided_by")
    search_fields = ("token__symbol", "token__name")
    id_fields = ("pk", "token_id")
    amount_fields = ("buy", "sell")
    search_help_text = "Symbol or name of the token, a price, or the ID of either"
    fields = (
        ("token_display", "state_display"), ("buy_display", "sell_display"),
        ("exchange_display", "reason_display"), ("proposed_by", "created_at"),
        ("decided_by", "decided_at"), "rejection_reason", "approval_reason",
    )  # fmt: skip

    def heading(self, obj: Quote) -> str:
        return f"Quote of {obj.token.symbol}"

    symbol = column("token", lambda quote: quote.token.symbol, ordering="token__symbol")
    token_display = link_column("token", "token")
    # "Approved" is the final state of a quote.
    state_display = column(
        "status",
        lambda quote: status_badge(
            quote.status, "good" if quote.status == ApprovalStatus.APPROVED else ""
        ),
        ordering="status",
    )
    buy_display = column("buy", lambda quote: _money(quote, quote.buy), ordering="buy")
    sell_display = column("sell", lambda quote: _money(quote, quote.sell), ordering="sell")
    reason_display = column("reason", lambda quote: quote.note or "-")
    rejection_reason = column("rejection reason", lambda quote: quote.reason or "-")

    @admin.display(description="rate to USD")
    def exchange_display(self, quote: Quote) -> str:
        rate = f"{format_grouped(quote.exchange)} {quote.token.currency_id} per USD"
        return rate if quote.exchange else "-"

    def describe(self, proposal: Quote) -> str:
        return f"Quote {proposal.token.symbol} at {_both_prices(proposal)} (buy / sell)"

    def label_approval(self, proposal: Quote) -> str:
        return f"Approve {_both_prices(proposal)}"

    def ask_approval(self, proposal: Quote) -> Confirmation:
        return Confirmation(
            title=f"Approve the quote of {proposal.token.symbol}?",
            text="The prices take effect immediately: raises sell at them, and lending values "
            "collateral at them. Only another quote can change them.",
            submit=self.label_approval(proposal),
            sections=[_comparison_section("Comparison", proposal.token, _prices(proposal))],
        )

    def ask_rejection(self, proposal: Quote, *, own: bool) -> Confirmation:
        what = f"the {'proposed ' if own else ''}quote of {proposal.token.symbol}"
        return ask_to_close(what, "Prices are unchanged.", own=own, submit="Reject quote")

    def find_notices(self, proposal: Quote) -> list[str]:
        return _warnings(proposal.token, _prices(proposal))

    def facts(self, proposal: Quote) -> list[tuple[str, object]]:
        token = proposal.token
        facts: list[tuple[str, object]] = [("Token", token)]
        for change in quotes.compare_prices(token, _prices(proposal)):
            facts += [
                (f"{change.name}, current", change.describe(change.current)),
                (f"{change.name}, proposed", change.describe(change.proposed)),
                (f"{change.name}, change", change.change),
            ]
        if token.price_exchange or proposal.exchange:
            facts += [
                (f"{token.currency_id} per USD, current", format_grouped(token.price_exchange)),
                (f"{token.currency_id} per USD, proposed", format_grouped(proposal.exchange)),
            ]
        return [
            *facts,
            ("Proposed by", self.proposer_of(proposal)),
            ("Proposed (UTC)", f"{proposal.created_at:%Y-%m-%d %H:%M:%S}"),
            ("Reason", proposal.note or "none"),
        ]

    def sections(self, request: HttpRequest, obj: Quote) -> list[Section]:
        if obj.status != ApprovalStatus.PENDING:
            return []
        title = "Proposed changes, pending approval by a second person"
        return [_comparison_section(title, obj.token, _prices(obj))]

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Ask for the token, and go on to the page that proposes its prices."""

        def act(data: dict[str, Any]) -> HttpResponse:
            address = reverse("admin:exchange_token_quote", args=[data["token"].pk])
            return HttpResponseRedirect(address)

        return self.form_page(
            request,
            bind_form(request, TokenChoiceForm),
            act,
            title="Propose prices",
            submit="Continue",
        )


def _money(quote: Quote, price: Decimal) -> str:
    return format_money(price, quote.token.currency_id)


def _both_prices(quote: Quote) -> str:
    return f"{_money(quote, quote.buy)} / {_money(quote, quote.sell)}"


def _prices(quote: Quote) -> quotes.Prices:
    return quotes.Prices(quote.buy, quote.sell, quote.exchange)


def _warnings(token: Token, prices: quotes.Prices) -> list[str]:
    """Return what the prices change beyond the band."""
    return find_notices(quotes.compare_prices(token, prices))


def _comparison_section(title: str, token: Token, prices: quotes.Prices) -> Section:
    rows: list[tuple[object, ...]] = [
        (
            change.name,
            change.describe(change.current),
            change.describe(change.proposed),
            _format_change(change),
        )
        for change in quotes.compare_prices(token, prices)
    ]
    if token.price_exchange or prices.exchange:
        rows.append(
            (
                f"{token.currency_id} per USD",
                format_grouped(token.price_exchange),
                format_grouped(prices.exchange),
                difference(token.price_exchange, prices.exchange),
            )
        )
    rows.append(
        ("Age of the current prices", age(token.quoted_at) if token.quoted_at else "-", "", "")
    )
    headings = ("Per unit", "Current", "Proposed", "Change")
    return Section(title, headings, rows, right=(1, 2, 3))


def _format_change(change: ProposedNumber) -> str:
    return status_badge(change.change, "bad") if change.exceeds_band else change.change


def confirm_proposal(token: Token, prices: quotes.Prices | None) -> Confirmation:
    """Return the confirmation for proposing `prices`; None before they are entered."""
    if prices and quotes.find_price_errors(token, prices):
        prices = None
    pending = token.quotes.filter(status=ApprovalStatus.PENDING).first()
    return Confirmation(
        title=f"Propose prices of {token.symbol}",
        facts=[
            ("Token", record_link(token)),
            *_current_price_facts(token),
            ("Pending approval", f"quote by {pending.proposed_by}" if pending else "none"),
        ],
        text="The prices take effect once a second person approves them.",
        submit="Propose",
        sections=[_comparison_section("Proposed prices", token, prices)] if prices else (),
        warnings=_warnings(token, prices) if prices else (),
    )


def _current_price_facts(token: Token) -> list[tuple[str, object]]:
    facts: list[tuple[str, object]] = [
        ("Buy, current", format_money(token.price_buy, token.currency_id)),
        ("Sell, current", format_money(token.price_sell, token.currency_id)),
    ]
    if token.price_exchange:
        facts.append(
            (f"{token.currency_id} per USD, current", format_grouped(token.price_exchange))
        )
    return facts
