"""Entries in the admin: the legs of all transfers, narrowed by account, day and amount."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from exchange.admin.ranges import AmountRange, DayRange
from exchange.admin.searching import of_late
from exchange.admin.show import kind, moment, page_of
from exchange.core.ids import parse_id
from exchange.exports.admin import Exportable
from wallets.ledger.admin.accounts import AssetFilter
from wallets.ledger.admin.finding import FindsTransfers, legs_found_by
from wallets.ledger.admin.show import SIGN
from wallets.ledger.admin.words import in_account
from wallets.ledger.models import AccountKind, Entry, Transfer

_ABOUT_AT_MOST = 5_000


class EntryAssetFilter(AssetFilter):
    """The same of entries, by their accounts, which are few beside them."""

    column = "account__asset"


class KindFilter(admin.SimpleListFilter):
    """What accounts are for."""

    title = "account"
    parameter_name = "account_kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(value), str(label)) for value, label in AccountKind.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return queryset.filter(account__kind=chosen) if chosen in AccountKind.values else queryset


class EntryDays(DayRange):
    """By the time of the transfer, and by the entries' own ids."""

    column = "transfer__created_at"


class EntryAmounts(AmountRange):
    """By size. Amounts have no index: without days or an account, of the last month only."""

    title = "amount (without days or an account: of the last 31 days)"

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        super().__init__(request, *args)
        bounds = ("day_from", "account__id__exact")
        self._bounded = any(request.GET.get(name) for name in bounds)

    def condition(self, first: Any, last: Any) -> Q:
        """By size, in bounds."""
        wanted = super().condition(first, last)
        if not self._bounded:
            wanted &= of_late()
        return wanted


@admin.register(Entry)
class EntryAdmin(FindsTransfers, Exportable):
    list_display = ("shown_at", "what", "shown_account", "shown_amount", "shown_balance")
    list_filter = (EntryAssetFilter, KindFilter, EntryDays, EntryAmounts)
    list_select_related = (
        "transfer", "account__organisation", "account__member", "account__asset__token",
    )  # fmt: skip
    list_note = SIGN
    search_fields = ("id",)
    search_help_text = "Reference, amount (31 days), email of the owner, or any id"
    ordering = ("-id",)
    fields = ("shown_at", "what", "shown_account", "shown_amount", "shown_balance", "id")
    readonly_fields = fields

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        known = lookup in {"account__id__exact", "account__owner_id", "account__kind__exact"}
        return known or super().lookup_allowed(lookup, value, request)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By the transfers a person may mean, an amount of late, or the email of the owner."""
        term = search_term.strip()
        if not term:
            return queryset, False
        return queryset.filter(
            self._of_transfers(term, parse_id(term)) | (legs_found_by(term) or Q())
        ), False

    def _of_transfers(self, term: str, wanted: UUID | None) -> Q:
        if wanted is None:
            return Q(transfer__in=self.transfers_called(term))
        about = Transfer.objects.filter(Q(pk=wanted) | Q(subject_id=wanted)).order_by("-id")
        found = about.values_list("pk", flat=True)[:_ABOUT_AT_MOST]
        return Q(pk=wanted) | Q(account=wanted) | Q(transfer__in=list(found))

    @admin.display(description="when (UTC)", ordering="id")
    def shown_at(self, entry: Entry) -> str:
        return moment(entry.transfer.created_at)

    def heading(self, obj: Entry) -> str:
        return f"{kind(obj.transfer)}: {self.shown_amount(obj)}"

    @admin.display(description="transfer")
    def what(self, entry: Entry) -> str:
        return page_of(entry.transfer, kind(entry.transfer))

    @admin.display(description="account")
    def shown_account(self, entry: Entry) -> str:
        account = entry.account
        owner = account.member or account.organisation or "the exchange"
        return page_of(account, f"{kind(account)} of {owner}")

    @admin.display(description="amount")
    def shown_amount(self, entry: Entry) -> str:
        return in_account(entry.amount, entry.account)

    @admin.display(description="balance after")
    def shown_balance(self, entry: Entry) -> str:
        return in_account(entry.balance_after, entry.account)
