"""Quotes with four eyes: proposed from a token's page, approved or rejected by somebody else."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import flatten
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import Section, Tool, bind, staff_of
from exchange.admin.confirming import Confirming, Question
from exchange.admin.ranges import DayRange
from exchange.admin.show import age, difference, page_of, state
from exchange.admin.token_page import money
from exchange.models import Quote, QuoteStatus, StaffUser
from exchange.numbers import plain
from exchange.services import quotes


class PriceForm(forms.Form):
    """New prices of one unit."""

    buy = forms.DecimalField(
        max_digits=38,
        decimal_places=8,
        help_text="What a buyer pays for a unit; in a raise, the offer",
    )
    sell = forms.DecimalField(
        max_digits=38,
        decimal_places=8,
        help_text="What a seller gets for a unit; lending values collateral by it",
    )
    exchange = forms.DecimalField(
        label="Units of the currency per USD",
        max_digits=38,
        decimal_places=8,
        required=False,
        help_text="0 or empty: none",
    )
    note = forms.CharField(max_length=300, required=False, help_text="Where the prices come from")


class RejectionForm(forms.Form):
    """Why a quote is refused, or taken back."""

    reason = forms.CharField(max_length=300, widget=forms.Textarea(attrs={"rows": 3}))


@admin.register(Quote)
class QuoteAdmin(Confirming):
    list_display = (
        "created", "symbol", "shown_state", "shown_buy", "shown_sell", "proposed_by", "decided_by",
        "decided_at",
    )  # fmt: skip
    list_filter = ("status", "token__currency", DayRange)
    list_select_related = ("token__currency", "proposed_by", "decided_by")
    search_fields = ("token__symbol", "token__name")
    id_fields = ("pk", "token_id")
    search_help_text = "Symbol or name of the token"
    # Ids grow with time and have an index.
    ordering = ("-pk",)
    fields = (
        ("shown_token", "shown_state"), ("shown_buy", "shown_sell"), ("shown_exchange", "note"),
        ("proposed_by", "created_at"), ("decided_by", "decided_at"), "reason",
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def heading(self, obj: Quote) -> str:
        return f"Quote of {obj.token.symbol}"

    @admin.display(description="proposed", ordering="created_at")
    def created(self, quote: Quote) -> str:
        return f"{quote.created_at:%Y-%m-%d %H:%M}"

    @admin.display(description="token", ordering="token__symbol")
    def symbol(self, quote: Quote) -> str:
        return quote.token.symbol

    @admin.display(description="token")
    def shown_token(self, quote: Quote) -> str:
        return page_of(quote.token)

    @admin.display(description="state", ordering="status")
    def shown_state(self, quote: Quote) -> str:
        return state(quote.status)

    @admin.display(description="buy", ordering="buy")
    def shown_buy(self, quote: Quote) -> str:
        return money(quote.buy, quote.token)

    @admin.display(description="sell", ordering="sell")
    def shown_sell(self, quote: Quote) -> str:
        return money(quote.sell, quote.token)

    @admin.display(description="units of the currency per USD")
    def shown_exchange(self, quote: Quote) -> str:
        return _rate(quote.exchange) if quote.exchange else "-"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related(*self.list_select_related)

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<uuid:object_id>/approve/", "approve", self.approve, only_post=False),
            self.action_url("<uuid:object_id>/reject/", "reject", self.reject, only_post=False),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Quote) -> list[Tool]:
        if obj.status != QuoteStatus.PENDING:
            return []
        if obj.proposed_by_id == staff_of(request).pk:
            return [Tool("Take back", self.address("reject", obj.pk))]
        if not self.may(request, "exchange.decide_quote"):
            return []
        reject = Tool("Reject", self.address("reject", obj.pk))
        prices = f"{money(obj.buy, obj.token)} / {money(obj.sell, obj.token)}"
        return [Tool(f"Approve {prices}", self.address("approve", obj.pk)), reject]

    def sections(self, request: HttpRequest, obj: Quote) -> list[Section]:
        if obj.status != QuoteStatus.PENDING:
            return []
        token = obj.token
        rows: list[tuple[object, ...]] = [
            (
                name,
                money(in_force, token),
                money(proposed, token),
                difference(in_force, proposed),
            )
            for name, in_force, proposed in (
                ("Buy", token.price_buy, obj.buy),
                ("Sell", token.price_sell, obj.sell),
            )
        ]
        if token.price_exchange or obj.exchange:
            rows.append(
                (
                    f"{token.currency_id} per USD",
                    _rate(token.price_exchange),
                    plain(obj.exchange),
                    difference(token.price_exchange, obj.exchange),
                )
            )
        since = age(token.quoted_at) if token.quoted_at else "-"
        headings = ("One unit", "In force now", "Proposed", "Change")
        title = "What approval changes: nothing has changed yet, somebody else must approve it"
        rows.append(("Age of the prices in force", since, "", ""))
        return [Section(title, headings, rows, right=(1, 2, 3))]

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """The second pair of eyes: asks, and puts the prices in force."""
        quote = self._decidable(request, object_id)
        token = quote.token
        return self.confirm_page(
            request,
            quote,
            _question(quote, staff_of(request)),
            lambda: quotes.approve(quote_id=quote.pk, user=staff_of(request)),
            f"Approved: {token.symbol} is quoted at {money(quote.buy, token)} to buy and "
            f"{money(quote.sell, token)} to sell.",
        )

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Closes the proposal, also by who made it; the prices stay as they are."""
        quote: Quote = self.record(request, object_id)
        own = quote.proposed_by_id == staff_of(request).pk
        if not own:
            self._decidable(request, object_id)

        def act(data: dict[str, Any]) -> HttpResponse:
            quotes.reject(quote_id=quote.pk, user=staff_of(request), reason=data["reason"])
            done = "Taken back" if own else "Rejected"
            messages.success(request, f"{done}. The prices stay as they are.")
            return self.back_to(quote.pk)

        return self.form_page(
            request,
            bind(request, RejectionForm),
            act,
            title="Take back" if own else "Reject",
            submit="Take the quote back" if own else "Reject the quote",
            record=quote,
            note=f"{quote.token}: {money(quote.buy, quote.token)} to buy, "
            f"{money(quote.sell, quote.token)} to sell, proposed by "
            f"{quote.proposed_by or 'the system'} on {quote.created_at:%Y-%m-%d %H:%M} UTC",
        )

    def _decidable(self, request: HttpRequest, object_id: UUID) -> Quote:
        if not self.may(request, "exchange.decide_quote"):
            raise PermissionDenied
        found: Quote = self.record(request, object_id)
        return found


def _rate(value: Decimal) -> str:
    return f"{Decimal(plain(value)):,f}"


def _question(quote: Quote, user: StaffUser) -> Question:
    token = quote.token
    facts: list[tuple[str, object]] = [("Token", token)]
    for name, now, then in (
        ("Buy", token.price_buy, quote.buy),
        ("Sell", token.price_sell, quote.sell),
    ):
        facts += [
            (f"{name}, in force now", money(now, token)),
            (f"{name}, proposed", money(then, token)),
            (f"{name}, change", difference(now, then)),
        ]
    if token.price_exchange or quote.exchange:
        facts += [
            (f"{token.currency_id} per USD, in force now", _rate(token.price_exchange)),
            (f"{token.currency_id} per USD, proposed", _rate(quote.exchange)),
        ]
    facts += [
        ("Proposed by", quote.proposed_by or "the system"),
        ("Proposed (UTC)", f"{quote.created_at:%Y-%m-%d %H:%M:%S}"),
        ("Where the prices come from", quote.note or "not told"),
    ]
    hindrance = ""
    if quote.status != QuoteStatus.PENDING:
        by = f" by {quote.decided_by}" if quote.decided_by else ""
        hindrance = f"The quote is {quote.status}{by}, no longer Pending"
    elif quote.proposed_by_id == user.pk:
        hindrance = "Somebody else must approve what you proposed"
    return Question(
        title=f"Approve the quote of {token.symbol}?",
        facts=facts,
        words="The prices are in force at once: raises sell at them, lending values collateral by "
        "them. They change again only by another quote.",
        submit=f"Yes, approve {money(quote.buy, token)} / {money(quote.sell, token)}",
        hindrance=hindrance,
    )
