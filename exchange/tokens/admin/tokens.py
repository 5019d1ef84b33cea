"""Token admin: the list, the token page, its terms, access and quote proposals.

`orders.listings.admin.tokens` registers it and adds what comes from the ledger and the order book:
new listings, supply, holders and closures.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column, money_column
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.custom_pages import CustomPageAdmin
from exchange.admin.display import list_url
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, day_range
from exchange.admin.tabs import group_by_tab
from exchange.core.currencies import format_money
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.staff.models import ApprovalStatus
from exchange.tokens.admin import token_page
from exchange.tokens.admin.forms import GrantAccessForm, TokenEditForm, WithdrawAccessForm
from exchange.tokens.admin.quotes import (
    PROPOSE_PERMISSION,
    PriceForm,
    confirm_proposal,
    read_prices,
)
from exchange.tokens.models import (
    TERM_FIELDS,
    DealAccess,
    InvestmentCategory,
    InvestmentType,
    Token,
    TokenType,
)
from exchange.tokens.services import quotes, tokens

CHANGE_PERMISSION = tokens.CHANGE_PERMISSION
_FIXED_NOTE = (
    "Investors have bought: issue price, interest, payout frequency and tenor change with new terms"
    " only, which two people decide."
)


class TokenFilters(ListFilters):
    state = ChoiceFilter(
        choices=[(name, name) for name in token_page.STATES],
        condition=token_page.state_condition,
        title="status",
    )
    type__exact = ChoiceFilter("type", TokenType.choices, title="type")
    deal_access__exact = ChoiceFilter("deal_access", DealAccess.choices, title="deal access")
    investment_type__exact = ChoiceFilter(
        "investment_type", InvestmentType.choices, title="investment type"
    )
    investment_category__exact = ChoiceFilter(
        "investment_category", InvestmentCategory.choices, title="investment category"
    )
    currency__code__exact = currency_filter()
    issuer_name = OrganisationNameFilter("issuer")
    day_from, day_to = day_range(id_column="")


class BaseTokenAdmin(CustomPageAdmin, ConfirmationAdmin):
    record_pages: tuple[str, ...] = ("edit", "quote", "grant", "withdraw")
    list_display = (
        "symbol", "name", "state_display", "issuer", "instrument", "buy_display", "sell_display",
    )  # fmt: skip
    list_display_links = ("symbol", "name")
    filters = TokenFilters
    list_select_related = ("issuer", "creator", "currency")
    search_fields = ("name", "symbol", "issuer__name")
    id_fields = ("pk", "issuer_id")
    search_help_text = "Name, symbol or issuer"

    state_display = column("status", token_page.state_label)

    @admin.display(description="instrument", ordering="investment_type")
    def instrument(self, token: Token) -> str:
        label = token.get_investment_type_display()
        private = token.deal_access == DealAccess.PRIVATE
        return format_html("{}<br>private", label) if private else label

    buy_display = money_column("buy", "price_buy", ordering="price_buy")

    sell_display = money_column("sell", "price_sell", ordering="price_sell")
    # --- token page ---

    def record_page(self, request: HttpRequest, token: Token, /) -> HttpResponse:
        """Show the token page."""
        pending = (
            token.quotes.filter(status=ApprovalStatus.PENDING).select_related("proposed_by").first()
        )
        added = [found for panel in self.panels for found in panel.sections(self, request, token)]
        sections = [
            *self.sections(request, token),
            token_page.approved_quote_section(token),
            # The history has a link, as on every page of this kind.
            *(found for found in added if isinstance(found, Section)),
            token_page.access_section(token),
            token_page.change_section(token),
        ]
        return self.page(
            request,
            "admin/exchange/token/page.html",
            str(token),
            record=token,
            tools=[
                *self.tools(request, token),
                *(tool for panel in self.panels for tool in panel.tools(self, request, token)),
            ],
            status=token_page.state_label(token),
            lede=self.lede(token),
            pending=pending,
            pending_buy=pending and format_money(pending.buy, token.currency_id),
            pending_sell=pending and format_money(pending.sell, token.currency_id),
            sheets=self.sheets(token),
            tables=[
                token_page.quote_section(token),
                token_page.limit_section(token),
                *self.tables(token),
            ],
            decisions=[
                (*self.preserve_in_tools(request, [tool]), text)
                for tool, text in self.decisions(request, token)
            ],
            summary=[fact for section in sections for fact in section.facts],
            sections=sections,
            tabs=group_by_tab((section.tab, section) for section in sections),
        )

    def lede(self, token: Token) -> str:
        """Return a one-line summary of the token."""
        return format_html(
            "{} of {}, {}; prices updated {} ago",
            token.get_investment_type_display(),
            token.issuer,
            "public" if token.deal_access == DealAccess.PUBLIC else "private access",
            token_page.quote_age(token),
        )

    def sheets(self, token: Token) -> list[tuple[str, token_page.Facts]]:
        """Return the facts of the token by section title."""
        return [
            ("Details", token_page.description_facts(token)),
            ("Fees and terms", token_page.term_facts(token)),
            ("Payments", token_page.payment_facts(token)),
            ("Raise", token_page.raise_facts(token)),
        ]

    def tables(self, token: Token) -> list[Section]:
        """Return small tables shown next to the facts."""
        return []

    def decisions(self, request: HttpRequest, token: Token) -> list[tuple[Tool, str]]:
        """Return the actions open to the person, each with its effect."""
        return []

    def tools(self, request: HttpRequest, obj: Token) -> list[Tool]:
        tools = []
        if not obj.cancelled and self.may(request, PROPOSE_PERMISSION):
            tools.append(Tool("Propose prices", self.address("quote", obj.pk)))
        if self.may(request, CHANGE_PERMISSION):
            if not obj.cancelled:
                tools.append(Tool("Edit", self.address("edit", obj.pk)))
            tools.append(Tool("Grant access", self.address("grant", obj.pk)))
            if obj.grants.exists():
                tools.append(Tool("Revoke access", self.address("withdraw", obj.pk)))
        quote_list = list_url("exchange_quote", q=str(obj.pk))
        return [*tools, Tool("Quotes", quote_list)]

    # --- terms, access and quotes ---

    def edit(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Change description, limits and fees."""
        token: Token = self.record(request, object_id, CHANGE_PERMISSION)
        now = {name: getattr(token, name) for name in TERM_FIELDS}
        return self.form_page(
            request,
            bind_form(
                request,
                partial(TokenEditForm, fixed=token.has_fixed_terms),
                expected_version=tokens.get_version(token),
                **now,
            ),
            lambda data: tokens.change_terms(
                token_id=token.pk,
                expected_version=data.pop("expected_version"),
                terms=data,
                user=staff_of(request),
            ),
            title="Edit",
            submit="Save",
            done="Saved.",
            record=token,
            note="Existing orders keep their fees; new limits apply to new orders. "
            f"Amounts are in {token.currency_id} with up to {token.currency.decimals} decimals. "
            f"{_FIXED_NOTE if token.has_fixed_terms else ''}".strip(),
        )

    def grant(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Grant an organisation access to the token."""
        token: Token = self.record(request, object_id, CHANGE_PERMISSION)
        note = (
            "Deal access is public: all organisations see the token. Access takes effect when deal"
            " access becomes private."
            if token.deal_access == DealAccess.PUBLIC
            else "Deal access is private: only the issuer and organisations with access see the"
            " token."
        )
        texts = {"title": "Grant access", "submit": "Grant", "note": note}
        form = bind_form(request, GrantAccessForm)
        done = "{} has access to {}."
        return self._change_access(request, token, form, tokens.grant_access, done, **texts)

    def withdraw(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Withdraw an organisation's access to the token."""
        token: Token = self.record(request, object_id, CHANGE_PERMISSION)
        return self._change_access(
            request,
            token,
            WithdrawAccessForm(token, request.POST if request.method == "POST" else None),
            tokens.withdraw_access,
            "{} no longer has access to {}.",
            title="Revoke access",
            submit="Revoke",
            note="While deal access is private, the organisation no longer sees the token. Its "
            "holdings and open orders are unaffected.",
        )

    def _change_access(
        self,
        request: HttpRequest,
        token: Token,
        form: forms.Form,
        change: Callable[..., object],
        done: str,
        **texts: Any,
    ) -> HttpResponse:
        """Ask for an organisation, and change its access."""

        def act(data: dict[str, Any]) -> HttpResponse:
            organisation, user = data["organisation"], staff_of(request)
            change(token_id=token.pk, organisation_id=organisation.pk, user=user)
            messages.success(request, done.format(organisation, token.symbol))
            return self.redirect_to_record(token.pk)

        return self.form_page(request, form, act, record=token, **texts)

    def quote(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose prices, which take effect once a second person approves them."""
        token: Token = self.record(request, object_id, PROPOSE_PERMISSION)

        def act(*, note: str, **numbers: Decimal | None) -> None:
            prices = read_prices(numbers)
            quotes.propose(token_id=token.pk, prices=prices, user=staff_of(request), note=note)

        form = bind_form(
            request,
            partial(PriceForm, token.currency_id),
            buy=token.price_buy,
            sell=token.price_sell,
            exchange=token.price_exchange,
        )
        prices = read_prices(form.cleaned_data) if form.is_valid() else None
        return self.confirm_page(
            request,
            token,
            confirm_proposal(token, prices),
            act,
            "Prices proposed. They require a second person's approval.",
            form=form,
        )
