"""The pages of tokens, whole: what `exchange` shows of one, with its ledger, book and endings.

They are registered here because this is the lowest place that knows all of it.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import AddFormAdmin, Section, Tool, actor_of, bind_form, staff_of
from exchange.admin.display import format_time, record_link
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from exchange.tokens.admin.tokens import BaseTokenAdmin
from exchange.tokens.models import Token
from orders.book.admin.show import list_of
from orders.listings.admin.endings import ENDINGS, Ending
from orders.listings.admin.issuing import ListingForm, holders, issue_and_raise, listing_of, supply
from orders.listings.selectors import open_book
from orders.listings.services import endings
from orders.listings.services.listing import list_token
from orders.trades.admin.show import BOTH_SIDES, side_of
from orders.trades.models import Trade

_TRADES_SHOWN = 10


@admin.register(Token)
class TokenAdmin(AddFormAdmin, BaseTokenAdmin):
    add_permission = "exchange.add_token"

    def get_urls(self) -> list[URLPattern]:
        return [
            *(
                self.action_url(
                    f"<uuid:object_id>/{ending.name}/",
                    ending.name,
                    partial(self.end, ending=ending),
                    only_post=False,
                )
                for ending in ENDINGS
            ),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Token) -> list[Tool]:
        return [
            *super().tools(request, obj),
            list_of("orders_order", obj.pk, "Orders"),
            list_of("orders_trade", obj.pk, "Trades"),
        ]

    def tables(self, token: Token) -> list[Section]:
        return [supply(token), _book(token)]

    def sections(self, request: HttpRequest, obj: Token) -> list[Section]:
        return [_trades(obj), holders(obj), issue_and_raise(obj)]

    # --- listing a new one ---

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Lists a token: its units are issued to the issuer at once."""

        def act(data: dict[str, Any]) -> HttpResponse:
            made = list_token(
                issuer_id=data["issuer"].pk, listing=listing_of(data), actor=actor_of(request)
            )
            messages.success(
                request, f"{made.symbol} is listed: {format_units(made.total_supply)} were issued."
            )
            return self.redirect_to_record(made.pk)

        return self.form_page(
            request,
            bind_form(request, ListingForm),
            act,
            title="List a token",
            submit="List",
            note="All units are issued to the issuer. With a raise, those offered wait to be sold "
            "at the buy quote. Issuer, symbol, currency and units never change afterwards; quotes "
            "change by four eyes.",
        )

    # --- endings ---

    def decisions(self, request: HttpRequest, token: Token) -> list[tuple[Tool, str]]:
        if token.cancelled or not self.may(request, endings.PERMISSION):
            return []
        return [
            (Tool(ending.label, self.address(ending.name, token.pk)), ending.text)
            for ending in ENDINGS
            if ending.possible(token)
        ]

    def end(self, request: HttpRequest, object_id: UUID, *, ending: Ending) -> HttpResponse:
        """One decision about its trading, after a page that tells what will happen."""
        token: Token = self.record(request, object_id, endings.PERMISSION)
        return self.confirm_page(
            request,
            token,
            ending.confirmation(token),
            partial(ending.decide, token, staff_of(request)),
            str,  # what it answers tells what was done
            form=bind_form(request, ending.form) if ending.form else None,
        )


def _book(token: Token) -> Section:
    book = open_book(token)
    best = [format_money(price, token.currency_id) for price in (book.best_bid, book.best_ask)]
    rows = [
        ("Buy", f"{book.buys:,}", best[0], format_money(book.reserved_money, token.currency_id)),
        ("Sell", f"{book.sells:,}", best[1], format_units(book.reserved_units)),
        ("Bought so far", "", "", format_units(token.vol_buy)),
        ("Sold by holders so far", "", "", format_units(token.vol_sell)),
    ]
    headings = ("", "Orders", "Best price", "Reserved, or traded")
    return Section("Open orders", headings, rows, right=(1, 2, 3))


def _trades(token: Token) -> Section:
    found = Trade.objects.filter(token=token).select_related(*BOTH_SIDES).order_by("-seq")
    rows = [
        (
            format_time(trade.created_at),
            record_link(trade, format_units(trade.tokens)),
            format_money(trade.price, token.currency_id),
            format_money(trade.buyer_value, token.currency_id),
            side_of(trade, trade.buy_order),
            side_of(trade, trade.sell_order),
        )
        for trade in found[:_TRADES_SHOWN]
    ]
    headings = ("When (UTC)", "Units", "Price", "Value", "Buyer", "Seller")
    every = list_of("orders_trade", token.pk, "All trades") if rows else None
    return Section("Last trades", headings, rows, right=(1, 2, 3), empty="None yet.", more=every)
