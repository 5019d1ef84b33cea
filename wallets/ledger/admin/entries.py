"""Ledger entries in the admin, filtered by account, day and amount."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet

from exchange.admin.columns import column, time_column
from exchange.admin.display import kind_label, record_link
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    amount_range,
    day_range,
    id_filter,
)
from exchange.admin.search import recent_condition
from exchange.core.ids import parse_id
from exchange.exports.admin import Exportable
from wallets.ledger.admin.accounts import asset_filter
from wallets.ledger.admin.formatting import format_account_amount
from wallets.ledger.admin.general_ledger import general_ledger_page
from wallets.ledger.admin.search import TransferSearch, match_legs
from wallets.ledger.admin.signs import SIGN
from wallets.ledger.models import AccountKind, Entry, Transfer

_MAX_TRANSFERS_SEARCHED = 5_000


class EntryFilters(ListFilters):
    """Filters of entries. Amounts have no index, so they search recent entries only."""

    counts = asset_filter("account__asset")
    account_kind = ChoiceFilter("account__kind", AccountKind.choices, title="account")
    day_from, day_to = day_range("transfer__created_at")
    amount_from, amount_to = amount_range(
        title="amount (last 31 days unless filtered by day or account)"
    )
    account__id__exact = id_filter("account")
    account__owner_id = id_filter("account__owner_id")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        found = super().filter_queryset(queryset)
        amounts = self.used_values.keys() & {"amount_from", "amount_to"}
        bounded = self.used_values.keys() & {"day_from", "account__id__exact"}
        return found.filter(recent_condition()) if amounts and not bounded else found


@admin.register(Entry)
class EntryAdmin(TransferSearch, Exportable):
    list_display = ("time_display", "what", "account_display", "amount_display", "balance_display")
    filters = EntryFilters
    list_select_related = (
        "transfer", "account__organisation", "account__member", "account__asset__token",
    )  # fmt: skip
    list_note = SIGN
    reports = {"general_ledger": general_ledger_page}
    search_fields = ("id",)
    search_help_text = "Reference, amount (31 days), email of the owner, or any ID"
    ordering = ("-id",)
    fields = ("time_display", "what", "account_display", "amount_display", "balance_display", "id")

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Match by transfer, by an amount of recent entries, or by the owner's email."""
        found = self._of_transfers(term, parse_id(term))
        return rows.filter(found | (match_legs(term) or Q()))

    def _of_transfers(self, term: str, wanted: UUID | None) -> Q:
        if wanted is None:
            return Q(transfer__in=self.find_transfer_ids(term))
        about = Transfer.objects.filter(Q(pk=wanted) | Q(subject_id=wanted)).order_by("-id")
        found = about.values_list("pk", flat=True)[:_MAX_TRANSFERS_SEARCHED]
        return Q(pk=wanted) | Q(account=wanted) | Q(transfer__in=list(found))

    time_display = time_column("time (UTC)", "transfer.created_at", ordering="id")

    def heading(self, obj: Entry) -> str:
        return f"{kind_label(obj.transfer)}: {self.amount_display(obj)}"

    what = column("transfer", lambda entry: record_link(entry.transfer, kind_label(entry.transfer)))

    @admin.display(description="account")
    def account_display(self, entry: Entry) -> str:
        account = entry.account
        owner = account.member or account.organisation or "the exchange"
        return record_link(account, f"{kind_label(account)} of {owner}")

    amount_display = column(
        "amount", lambda entry: format_account_amount(entry.amount, entry.account)
    )
    balance_display = column(
        "balance after", lambda entry: format_account_amount(entry.balance_after, entry.account)
    )
