"""The complete token pages: the token, its ledger, order book and lifecycle actions.

Registered here, the lowest module that may import all of them.
"""

from functools import partial
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils import timezone

from exchange.admin.base import Section, Tool, actor_of, staff_of
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import format_time, record_link
from exchange.admin.forms import bind_form
from exchange.admin.tabs import MARKET, Choice, tab_anchor
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from exchange.tokens.admin.tokens import CHANGE_PERMISSION, BaseTokenAdmin
from exchange.tokens.models import Token
from orders.book.admin.depth import depth_section
from orders.book.admin.show import list_link
from orders.book.models import Trade
from orders.listings.admin.issuing import (
    ListingForm,
    build_listing,
    list_largest_holders,
    list_token_transfers,
    summarise_supply,
)
from orders.listings.admin.lifecycle import LIFECYCLE_ACTIONS, LifecycleAction, LifecycleForm
from orders.listings.admin.proposals import list_token_proposals
from orders.listings.admin.terms import TermsForm, initial_terms, list_terms, read_terms
from orders.listings.models import TokenAction
from orders.listings.selectors import summarise_book
from orders.listings.services import lifecycle
from orders.listings.services.listing import list_token
from orders.listings.services.proposals import propose_token_action
from orders.listings.services.terms import propose_terms
from orders.market.admin.price_section import RANGES, find_range, price_section
from orders.trades.admin.show import BOTH_SIDES, side_link

_MAX_TRADES = 10


@admin.register(Token)
class TokenAdmin(AddFormAdmin, BaseTokenAdmin):
    add_permission = "exchange.add_token"
    record_pages = (*BaseTokenAdmin.record_pages, "terms")

    def get_urls(self) -> list[URLPattern]:
        return [
            *(
                self.action_url(
                    f"<uuid:object_id>/{action.name}/",
                    action.name,
                    partial(self.take_action, action=action),
                    only_post=False,
                )
                for action in LIFECYCLE_ACTIONS
            ),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Token) -> list[Tool]:
        ended = obj.cancelled or obj.exited or not obj.has_fixed_terms
        new_terms = Tool("Propose terms", self.address("terms", obj.pk))
        return [
            *super().tools(request, obj),
            *([new_terms] if self.may(request, CHANGE_PERMISSION) and not ended else []),
            list_link("orders_order", obj.pk, "Orders"),
            list_link("orders_trade", obj.pk, "Trades"),
        ]

    def tables(self, token: Token) -> list[Section]:
        return [summarise_supply(token), _book_section(token), _volume_section(token)]

    def sections(self, request: HttpRequest, obj: Token) -> list[Section]:
        shown = find_range(request.GET.get("range", ""))
        filters = self.get_preserved_filters(request)
        end = (f"&{filters}" if filters else "") + tab_anchor(MARKET)
        choices = [Choice(each.label, f"?range={each.name}{end}", each == shown) for each in RANGES]
        return [
            list_token_proposals(obj),
            list_terms(obj),
            price_section(obj, shown, timezone.now(), choices=choices),
            depth_section(obj),
            _trades_section(obj),
            list_largest_holders(obj),
            list_token_transfers(obj),
        ]

    # --- listing ---

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """List a token and issue its units to the issuer."""
        return self.form_page(
            request,
            bind_form(request, ListingForm),
            lambda data: list_token(
                issuer_id=data["issuer"].pk, listing=build_listing(data), actor=actor_of(request)
            ),
            title="New token",
            submit="List",
            done=lambda made: f"{made.symbol} listed; {format_units(made.total_supply)} issued.",
            note="All units are issued to the issuer; with a raise, the offered units are sold at "
            "the buy price. Issuer, symbol, currency and supply cannot be changed later. Changing "
            "quotes requires dual approval.",
        )

    # --- terms ---

    def terms(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose terms, which take effect once a second person approves them."""
        token: Token = self.record(request, object_id, CHANGE_PERMISSION)
        form = bind_form(request, partial(TermsForm, token), **initial_terms(token))
        return self.form_page(
            request,
            form,
            lambda data: propose_terms(
                token_id=token.pk,
                terms=read_terms(data),
                explanation=data["explanation"],
                user=staff_of(request),
            ),
            title="Propose terms",
            submit="Propose",
            done="Terms proposed. They require a second person's approval.",
            record=token,
            note="Investors have bought this token: its payments follow from these terms, so two "
            "people change them, and the organisations that hold it are notified.",
        )

    # --- lifecycle actions ---

    def decisions(self, request: HttpRequest, token: Token) -> list[tuple[Tool, str]]:
        if token.cancelled or not self.may(request, lifecycle.PERMISSION):
            return []
        return [
            (Tool(action.label, self.address(action.name, token.pk)), action.description)
            for action in LIFECYCLE_ACTIONS
            if action.is_available(token)
        ]

    def take_action(
        self, request: HttpRequest, object_id: UUID, *, action: LifecycleAction
    ) -> HttpResponse:
        """Run a lifecycle action after its confirmation page, or propose it."""
        token: Token = self.record(request, object_id, lifecycle.PERMISSION)
        user, confirmation = staff_of(request), action.build_confirmation(token)
        if action.execute is not None:
            execute = partial(action.execute, token, user)
            form = bind_form(request, action.form) if action.form else None
            return self.confirm_page(request, token, confirmation, execute, str, form=form)
        return self.confirm_page(
            request,
            token,
            confirmation,
            partial(
                propose_token_action, token_id=token.pk, action=TokenAction(action.name), user=user
            ),
            "Proposed. A second person must confirm it.",
            form=bind_form(request, LifecycleForm),
        )


def _book_section(token: Token) -> Section:
    book = summarise_book(token)
    best = [format_money(price, token.currency_id) for price in (book.best_bid, book.best_ask)]
    rows = [
        ("Buy", f"{book.buys:,}", best[0], format_money(book.reserved_money, token.currency_id)),
        ("Sell", f"{book.sells:,}", best[1], format_units(book.reserved_units)),
    ]
    headings = ("", "Orders", "Best price", "Reserved")
    return Section("Open orders", headings, rows, right=(1, 2, 3))


def _volume_section(token: Token) -> Section:
    rows = [
        ("Bought", format_units(token.vol_buy)),
        ("Sold by holders", format_units(token.vol_sell)),
    ]
    return Section("Traded to date", ("", "Units"), rows, right=(1,))


def _trades_section(token: Token) -> Section:
    found = Trade.objects.filter(token=token).select_related(*BOTH_SIDES).order_by("-seq")
    rows = [
        (
            format_time(trade.created_at),
            record_link(trade, format_units(trade.tokens)),
            format_money(trade.price, token.currency_id),
            format_money(trade.buyer_value, token.currency_id),
            side_link(trade, trade.buy_order),
            side_link(trade, trade.sell_order),
        )
        for trade in found[:_MAX_TRADES]
    ]
    headings = ("Time (UTC)", "Units", "Price", "Value", "Buyer", "Seller")
    every = list_link("orders_trade", token.pk, "All trades") if rows else None
    return Section(
        "Recent trades",
        headings,
        rows,
        right=(1, 2, 3),
        empty="No trades yet.",
        more=every,
        tab=MARKET,
    )
