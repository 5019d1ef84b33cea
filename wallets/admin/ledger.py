"""The ledger in the admin, to read only: accounts with their statements, transfers with legs."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet, Sum
from django.http import HttpRequest
from django.urls import reverse

from exchange.admin.base import SafeAdmin, Section, Tool, extra_tools
from exchange.admin.show import moment, page_of
from exchange.models import Member, Organisation
from wallets.admin.show import money
from wallets.models import Account, Asset, Entry, Transfer
from wallets.selectors.currencies import currencies

_ENTRIES_SHOWN = 50
_UNITS = "units"


def wallet_of(owner: Any) -> Tool:
    """The accounts of an organisation itself, or of a member."""
    return Tool("Wallet", f"{reverse('admin:wallets_account_changelist')}?owner_id={owner.pk}")


extra_tools.setdefault(Organisation, []).append(wallet_of)
extra_tools.setdefault(Member, []).append(wallet_of)


def asset_name(asset: Asset) -> str:
    """The currency's code or the token's symbol."""
    return asset.token.symbol if asset.token else asset.pk


class AssetFilter(admin.SimpleListFilter):
    """Currencies one by one, all tokens together; one token's page leads to its own."""

    title = "asset"
    parameter_name = "counts"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [*((code, code) for code in currencies()), (_UNITS, "Units of tokens")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen == _UNITS:
            return queryset.filter(asset__token__isnull=False)
        return queryset.filter(asset=chosen) if chosen else queryset


@admin.register(Account)
class AccountAdmin(SafeAdmin):
    list_display = ("heading", "owner", "shown_balance")
    list_filter = ("kind", AssetFilter, "organisation")
    list_select_related = ("organisation", "member", "asset__token")
    search_fields = ("=id", "=owner_id", "organisation__name", "member__name")
    fields = ("owner", "shown_asset", "kind", "shown_balance", "id")
    readonly_fields = fields

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        known = lookup in {"owner_id", "asset__id__exact"}
        return known or super().lookup_allowed(lookup, value, request)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related(*self.list_select_related)

    @admin.display(description="asset")
    def shown_asset(self, account: Account) -> str:
        token = account.asset.token
        return page_of(token) if token else asset_name(account.asset)

    @admin.display(description="account")
    def heading(self, account: Account) -> str:
        owner = account.member or account.organisation or "the exchange"
        return f"{asset_name(account.asset)} {account.kind} of {owner}"

    @admin.display(description="owner")
    def owner(self, account: Account) -> str:
        who = account.member or account.organisation
        return page_of(who) if who else "The exchange"

    @admin.display(description="balance", ordering="balance")
    def shown_balance(self, account: Account) -> str:
        return money(account.balance, account.asset_id)

    def sections(self, request: HttpRequest, obj: Account) -> list[Section]:
        entries = obj.entries.select_related("transfer").order_by("-id")[:_ENTRIES_SHOWN]
        rows = [
            (
                moment(entry.transfer.created_at),
                page_of(entry.transfer, entry.transfer.get_kind_display()),
                entry.transfer.memo,
                money(entry.amount, entry.asset_id),
                money(entry.balance_after, entry.asset_id),
            )
            for entry in entries
        ]
        every = Tool(
            "All entries",
            f"{reverse('admin:wallets_entry_changelist')}?account__id__exact={obj.pk}",
        )
        title = "Statement"
        if obj.balance is None:
            total = obj.entries.aggregate(total=Sum("amount"))["total"]
            title = f"Statement: {money(total, obj.asset_id)} in all"
        headings = ("When (UTC)", "What", "Memo", "Amount", "Balance after")
        return [Section(title, headings, rows, right=(3, 4), empty="No entries.", more=every)]


@admin.register(Transfer)
class TransferAdmin(SafeAdmin):
    list_display = ("reference", "kind", "shown_at", "actor", "memo")
    list_filter = ("kind", "created_at")
    search_fields = ("=id", "reference", "=subject_id", "memo")
    date_hierarchy = "created_at"
    fields = ("id", "kind", "reference", "subject_id", "actor", "memo", "shown_at")
    readonly_fields = fields

    @admin.display(description="when (UTC)", ordering="created_at")
    def shown_at(self, transfer: Transfer) -> str:
        return moment(transfer.created_at)

    def tools(self, request: HttpRequest, obj: Transfer) -> list[Tool]:
        if obj.subject_id is None:
            return []
        address = f"{reverse('admin:wallets_transfer_changelist')}?q={obj.subject_id}"
        return [Tool("Everything about the same subject", address)]

    def sections(self, request: HttpRequest, obj: Transfer) -> list[Section]:
        legs = obj.entries.select_related("account__organisation", "account__member").order_by("id")
        rows = [
            (
                page_of(leg.account, leg.account.get_kind_display()),
                leg.account.member or leg.account.organisation or "The exchange",
                money(leg.amount, leg.asset_id),
                money(leg.balance_after, leg.asset_id),
            )
            for leg in legs
        ]
        headings = ("Account", "Owner", "Amount", "Balance after")
        return [Section("Legs", headings, rows, right=(2, 3))]


@admin.register(Entry)
class EntryAdmin(SafeAdmin):
    list_display = ("shown_at", "what", "shown_account", "shown_amount", "shown_balance")
    list_filter = (AssetFilter, "account__kind")
    list_select_related = ("transfer", "account__organisation", "account__member")
    search_fields = ("=transfer__reference", "=transfer__subject_id")
    ordering = ("-id",)
    fields = ("id", "shown_at", "what", "shown_account", "shown_amount", "shown_balance")
    readonly_fields = fields

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup == "account__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="when (UTC)", ordering="id")
    def shown_at(self, entry: Entry) -> str:
        return moment(entry.transfer.created_at)

    @admin.display(description="transfer")
    def what(self, entry: Entry) -> str:
        return page_of(entry.transfer)

    @admin.display(description="account")
    def shown_account(self, entry: Entry) -> str:
        owner: Model | str = entry.account.member or entry.account.organisation or "the exchange"
        return page_of(entry.account, f"{entry.account.kind} of {owner}")

    @admin.display(description="amount", ordering="amount")
    def shown_amount(self, entry: Entry) -> str:
        return money(entry.amount, entry.asset_id)

    @admin.display(description="balance after")
    def shown_balance(self, entry: Entry) -> str:
        return money(entry.balance_after, entry.asset_id)
