"""Bank lists of the provider in the admin: state, search, and refresh on demand.

Refreshing calls the provider outside any transaction; a failure leaves the stored list as it is.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html

from exchange.admin.base import Section, Tool
from exchange.admin.columns import column, time_column
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import age, status_badge
from exchange.admin.forms import bind_form
from exchange.core.currencies import payout_currencies
from wallets.banks.bank_names import match_keys
from wallets.banks.models import BankList
from wallets.banks.services import is_fresh, refresh_bank_list

REFRESH = "wallets.change_banklist"
_LONGEST_SEARCH = 100


class CurrencyForm(forms.Form):
    """A currency without a stored list."""

    currency = forms.ChoiceField(choices=lambda: [(code, code) for code in _missing_currencies()])


@admin.register(BankList)
class BankListAdmin(AddFormAdmin):
    add_permission = REFRESH
    list_display = ("currency", "bank_count", "state_display", "fetched")
    ordering = ("currency__position",)
    fields = ("currency", "state_display", "fetched_at_display")
    change_form_template = "admin/wallets/banklist/page.html"
    add_label = "Fetch a bank list"

    bank_count = column("banks", lambda banks: len(banks.banks))
    state_display = column(
        "status", lambda banks: status_badge("Fresh" if is_fresh(banks.fetched_at) else "Stale")
    )
    fetched = column(
        "fetched", lambda banks: format_html("{} ago", age(banks.fetched_at)), ordering="fetched_at"
    )
    fetched_at_display = time_column("fetched (UTC)", "fetched_at")

    def heading(self, obj: BankList) -> str:
        return f"{obj.currency_id} banks of {obj.fetched_at:%Y-%m-%d %H:%M} UTC"

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<str:object_id>/refresh/", "refresh", self.refresh),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: BankList) -> list[Tool]:
        if not self.may(request, REFRESH):
            return []
        return [Tool("Fetch again", self.address("refresh", obj.pk), post=True)]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add the search text to the page."""
        context["searched"] = _search_text(request)
        return super().render_change_form(request, context, *args, **kwargs)

    def sections(self, request: HttpRequest, obj: BankList) -> list[Section]:
        text = _search_text(request)
        found = [bank for bank in obj.banks if _matches(bank, text)]
        rows = [(bank["name"], bank["code"]) for bank in sorted(found, key=lambda b: b["name"])]
        title = f"{len(found):,} of {len(obj.banks):,} banks" if text else f"{len(rows):,} banks"
        return [Section(title, ("Name", "Code"), rows, empty="No banks found.")]

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Fetch the list of a currency for the first time."""

        def act(data: dict[str, Any]) -> HttpResponse:
            made = refresh_bank_list(data["currency"])
            messages.success(request, f"{len(made.banks):,} banks fetched.")
            return self.redirect_to_record(data["currency"])

        return self.form_page(
            request,
            bind_form(request, CurrencyForm),
            act,
            title="Fetch a bank list",
            submit="Fetch",
            note="Lists are fetched automatically when needed, and before they become stale."
            if _missing_currencies()
            else "All lists are fetched. Open a list to fetch it again.",
        )

    def refresh(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Fetch the list again."""
        obj: BankList = self.record(request, object_id, REFRESH)
        self.attempt(
            request,
            lambda: refresh_bank_list(obj.pk),
            f"{obj.pk} bank list fetched.",
        )
        return self.redirect_to_record(obj.pk)


def _missing_currencies() -> list[str]:
    stored = set(BankList.objects.values_list("pk", flat=True))
    return [code for code in payout_currencies() if code not in stored]


def _search_text(request: HttpRequest) -> str:
    return request.GET.get("q", "").strip()[:_LONGEST_SEARCH]


def _matches(bank: dict[str, Any], wanted: str) -> bool:
    if not wanted or bank["code"].lower().startswith(wanted.lower()):
        return True
    return any(part in name for part in match_keys(wanted) for name in match_keys(bank["name"]))
