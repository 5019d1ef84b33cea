"""Quotes under dual control: proposed on a token's page, approved by a second person.

The list leads to the token's page that proposes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import flatten
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.functional import lazy

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import age, difference, format_time, record_link, status_badge
from exchange.admin.fields import (
    INTERNAL,
    AmountField,
    MoneyField,
    ReasonForm,
    audience_help,
    set_currency,
)
from exchange.admin.forms import ModelChoice, RecordSelect, bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, day_range
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped
from exchange.staff.admin.pending import QueueFilter, approval_queue, pending_decision
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.staff.plausibility import Comparison, band_of, find_notices
from exchange.tokens.models import Quote, Token
from exchange.tokens.services import quotes

PROPOSE_PERMISSION = "exchange.propose_quote"
_DECIDE_PERMISSION = "exchange.decide_quote"


def _reason_help() -> str:
    rule = f"Required when a price changes by more than {band_of('quote')} %"
    return audience_help(INTERNAL, f"Source of the prices. {rule}")


class PriceForm(forms.Form):
    """New prices of one unit."""

    buy = MoneyField(help_text="What a buyer pays per unit; in a raise, the offer price")
    sell = MoneyField(
        help_text="What a seller receives per unit; lending values collateral at this price"
    )
    exchange = AmountField(
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
    decision = QueueFilter(approval_queue("Quotes to approve", quotes.QUOTES))
    status__exact = ChoiceFilter("status", ApprovalStatus.choices, title="status")
    token__currency__code__exact = currency_filter("token__currency")
    day_from, day_to = day_range()


@admin.register(Quote)
class QuoteAdmin(AddFormAdmin, ConfirmationAdmin):
    add_permission = PROPOSE_PERMISSION
    add_label = "Propose prices"
    filters = QuoteFilters
    list_display = (
        "created", "symbol", "state_display", "buy_display", "sell_display", "proposed_by",
        "decided_by", "decided",
    )  # fmt: skip
    list_select_related = ("token__currency", "proposed_by", "decided_by")
    search_fields = ("token__symbol", "token__name")
    id_fields = ("pk", "token_id")
    amount_fields = ("buy", "sell")
    labels = {"created_at": "proposed (UTC)"}
    search_help_text = "Symbol or name of the token, a price, or the ID of either"
    # Ids follow time and are indexed.
    ordering = ("-pk",)
    fields = (
        ("token_display", "state_display"), ("buy_display", "sell_display"),
        ("exchange_display", "reason_display"), ("proposed_by", "created_at"),
        ("decided_by", "decided_at"), "rejection_reason", "approval_reason",
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def heading(self, obj: Quote) -> str:
        return f"Quote of {obj.token.symbol}"

    @admin.display(description="proposed (UTC)", ordering="created_at")
    def created(self, quote: Quote) -> str:
        return format_time(quote.created_at)

    @admin.display(description="decided (UTC)", ordering="decided_at")
    def decided(self, quote: Quote) -> str:
        return format_time(quote.decided_at) if quote.decided_at else "-"

    @admin.display(description="token", ordering="token__symbol")
    def symbol(self, quote: Quote) -> str:
        return quote.token.symbol

    @admin.display(description="token")
    def token_display(self, quote: Quote) -> str:
        return record_link(quote.token)

    @admin.display(description="status", ordering="status")
    def state_display(self, quote: Quote) -> str:
        # "Approved" is the final state of a quote.
        return status_badge(quote.status, "good" if quote.status == ApprovalStatus.APPROVED else "")

    @admin.display(description="buy", ordering="buy")
    def buy_display(self, quote: Quote) -> str:
        return format_money(quote.buy, quote.token.currency_id)

    @admin.display(description="sell", ordering="sell")
    def sell_display(self, quote: Quote) -> str:
        return format_money(quote.sell, quote.token.currency_id)

    @admin.display(description="rate to USD")
    def exchange_display(self, quote: Quote) -> str:
        rate = f"{format_grouped(quote.exchange)} {quote.token.currency_id} per USD"
        return rate if quote.exchange else "-"

    @admin.display(description="reason")
    def reason_display(self, quote: Quote) -> str:
        return quote.note or "-"

    @admin.display(description="rejection reason")
    def rejection_reason(self, quote: Quote) -> str:
        return quote.reason or "-"

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<uuid:object_id>/approve/", "approve", self.approve, only_post=False),
            self.action_url("<uuid:object_id>/reject/", "reject", self.reject, only_post=False),
            *super().get_urls(),
        ]

    def decision(self, request: HttpRequest, obj: Quote) -> PendingDecision | None:
        user, reject_at = staff_of(request), self.address("reject", obj.pk)
        code = obj.token.currency_id
        prices = f"{format_money(obj.buy, code)} / {format_money(obj.sell, code)}"
        own = obj.proposed_by_id == user.pk
        return pending_decision(
            obj,
            user,
            quotes.QUOTES,
            proposal=f"Quote {obj.token.symbol} at {prices} (buy / sell)",
            proposer=obj.proposed_by or "the system",
            approve=Tool(f"Approve {prices}", self.address("approve", obj.pk)),
            reject=Tool("Reject", reject_at),
            cancel=Tool("Cancel proposal", reject_at) if own else None,
        )

    def warnings(self, obj: Quote) -> list[str]:
        return _warnings(obj.token, _prices(obj)) if obj.status == ApprovalStatus.PENDING else []

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

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and approve the quote; its prices take effect."""
        quote: Quote = self.record(request, object_id, _DECIDE_PERMISSION)
        token = quote.token
        return self.confirm_page(
            request,
            quote,
            _confirm_approval(quote, staff_of(request)),
            partial(quotes.approve, quote_id=quote.pk, user=staff_of(request)),
            f"Approved. {token.symbol} is now quoted at {self.buy_display(quote)} to buy and "
            f"{self.sell_display(quote)} to sell.",
        )

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and reject the quote, or cancel one's own; prices are unchanged."""
        quote: Quote = self.record(request, object_id)
        user = staff_of(request)
        own = quote.proposed_by_id == user.pk
        if not own:
            self.require(request, _DECIDE_PERMISSION)
        return self.confirm_page(
            request,
            quote,
            _confirm_rejection(quote, own=own),
            partial(quotes.reject, quote_id=quote.pk, user=user),
            f"{'Proposal cancelled' if own else 'Quote rejected'}. Prices are unchanged.",
            form=bind_form(request, ReasonForm),
        )


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


def _format_change(change: Comparison) -> str:
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


def _confirm_approval(quote: Quote, user: StaffUser) -> Confirmation:
    token, code = quote.token, quote.token.currency_id
    warnings = _warnings(token, _prices(quote))
    return Confirmation(
        title=f"Approve the quote of {token.symbol}?",
        facts=_quote_facts(quote),
        text="The prices take effect immediately: raises sell at them, and lending values "
        "collateral at them. Only another quote can change them.",
        submit=f"Approve {format_money(quote.buy, code)} / {format_money(quote.sell, code)}",
        blocker=quotes.QUOTES.describe_blocker(quote, user),
        sections=[_comparison_section("Comparison", token, _prices(quote))],
        warnings=warnings,
        asks_reason=bool(warnings),
    )


def _confirm_rejection(quote: Quote, *, own: bool) -> Confirmation:
    symbol = quote.token.symbol
    return Confirmation(
        title=f"Cancel the proposed quote of {symbol}?"
        if own
        else f"Reject the quote of {symbol}?",
        facts=_quote_facts(quote),
        text="Prices are unchanged.",
        submit="Cancel proposal" if own else "Reject quote",
        blocker=quotes.QUOTES.describe_closed(quote),
    )


def _quote_facts(quote: Quote) -> list[tuple[str, object]]:
    token = quote.token
    facts: list[tuple[str, object]] = [("Token", token)]
    for name, current, proposed in (
        ("Buy", token.price_buy, quote.buy),
        ("Sell", token.price_sell, quote.sell),
    ):
        facts += [
            (f"{name}, current", format_money(current, token.currency_id)),
            (f"{name}, proposed", format_money(proposed, token.currency_id)),
            (f"{name}, change", difference(current, proposed, places=2)),
        ]
    if token.price_exchange or quote.exchange:
        facts += [
            (f"{token.currency_id} per USD, current", format_grouped(token.price_exchange)),
            (f"{token.currency_id} per USD, proposed", format_grouped(quote.exchange)),
        ]
    return [
        *facts,
        ("Proposed by", quote.proposed_by or "the system"),
        ("Proposed (UTC)", f"{quote.created_at:%Y-%m-%d %H:%M:%S}"),
        ("Reason", quote.note or "none"),
    ]


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
