"""The list of bank records, read-only."""

from typing import ClassVar

from django.contrib import admin

from exchange.admin.columns import column, link_column
from exchange.admin.list_filters import ListFilters, currency_filter
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from wallets.banks.models import BankAccount
from wallets.banks.payout_details import PAYOUT_DETAILS

_DETAILS = tuple(detail.name for detail in PAYOUT_DETAILS)


class BankAccountFilters(ListFilters):
    currency__code__exact = currency_filter()
    organisation_name = OrganisationNameFilter()


@admin.register(BankAccount)
class BankAccountAdmin(OwnedRecordAdmin):
    list_display = ("account_name", "account_number", "bank", "currency", "organisation")
    filters = BankAccountFilters
    list_select_related = ("organisation", "currency")
    ordering = ("-pk",)
    search_fields = ("=account_number", "account_name", "provided_name", "name")
    search_help_text = "Account number, payee, bank, amount, owner email, or an ID"
    labels = {"provided_name": "name provided"}
    id_fields = ("pk", "withdrawal__pk")
    amount_fields = ("withdrawal__amount", "withdrawal__disburse_amount")
    owner_prefixes = ("withdrawal__",)
    long = True
    fields: ClassVar[tuple[str, ...]] = (
        "withdrawal_display", "organisation", "bank", "account_number", "account_name",
        "returned", "provided_name", "currency", *_DETAILS,
        "created_at", "id",
    )  # fmt: skip

    withdrawal_display = link_column("withdrawal", "withdrawal")
    returned = column(
        "name returned by the bank", lambda record: "Yes" if record.name_resolved else "No"
    )
    bank = column("bank", lambda record: f"{record.name} ({record.code})", ordering="name")
