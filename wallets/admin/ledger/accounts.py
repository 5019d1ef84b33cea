"""Accounts in the admin: found by their owners, each with its last entries; and the way to them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from exchange.admin.base import SafeAdmin, Section, Tool, extra_tools
from exchange.admin.show import kind, moment, page_of
from exchange.ids import parse_id
from exchange.models import Member, Organisation
from wallets.admin.ledger.words import amount_of, asset_name
from wallets.models import Account
from wallets.selectors.currencies import currencies
from wallets.selectors.ledger import system_total

_ENTRIES_SHOWN = 50
_UNITS = "units"


def wallet_of(owner: Any) -> Tool:
    """The accounts of an organisation itself, or of a member."""
    return Tool("Wallet", f"{reverse('admin:wallets_account_changelist')}?owner_id={owner.pk}")


def statement_of(owner: Any) -> Tool:
    """All entries in the wallet of an organisation itself, or of a member."""
    address = reverse("admin:wallets_entry_changelist")
    return Tool("Statement", f"{address}?account__owner_id={owner.pk}")


def withdrawals_of(owner: Any) -> Tool:
    """The withdrawals of an organisation itself, or of a member, found by the name."""
    found = urlencode({"q": owner.name})
    return Tool("Withdrawals", f"{reverse('admin:wallets_withdrawal_changelist')}?{found}")


for _owner_model in (Organisation, Member):
    extra_tools.setdefault(_owner_model, []).extend((wallet_of, statement_of, withdrawals_of))


class AssetFilter(admin.SimpleListFilter):
    """Currencies one by one, all tokens together; one token's page leads to its own."""

    title = "asset"
    parameter_name = "counts"
    column = "asset"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [*((code, code) for code in currencies()), (_UNITS, "Units of tokens")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen == _UNITS:
            return queryset.filter(**{f"{self.column}__token__isnull": False})
        return queryset.filter(**{self.column: chosen}) if chosen else queryset


@admin.register(Account)
class AccountAdmin(SafeAdmin):
    list_display = ("heading", "owner", "shown_balance")
    list_filter = ("kind", AssetFilter)
    list_select_related = ("organisation", "member", "asset__token")
    search_fields = ("id",)
    search_help_text = "Name of the owner, id of the owner or of the account"
    fields = ("owner", "shown_asset", "kind", "shown_balance", "id")
    readonly_fields = fields

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        known = lookup in {"owner_id", "asset__id__exact", "organisation"}
        return known or super().lookup_allowed(lookup, value, request)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        # A wallet reads best by currency; all accounts together are read from an index.
        narrowed = {"owner_id", "q", "asset__id__exact"} & set(request.GET)
        return ("asset", "kind", "id") if narrowed else ("-id",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related(*self.list_select_related)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By id, or by the name of the owner."""
        term = search_term.strip()
        if not term:
            return queryset, False
        wanted = parse_id(term)
        if wanted is not None:
            return queryset.filter(Q(pk=wanted) | Q(owner_id=wanted)), False
        owners = [
            model.objects.filter(name__icontains=term).values("pk")
            for model in (Member, Organisation)
        ]
        return queryset.filter(
            Q(member__in=owners[0]) | Q(member__isnull=True, organisation__in=owners[1])
        ), False

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
        if account.balance is None:
            return "added up from its entries"
        return amount_of(account.balance, account.asset)

    def tools(self, request: HttpRequest, obj: Account) -> list[Tool]:
        shown = [self._entries(obj)]
        if obj.owner_id is not None:
            address = f"{self.address('changelist')}?owner_id={obj.owner_id}"
            shown.append(Tool("Whole wallet", address))
        return shown

    def sections(self, request: HttpRequest, obj: Account) -> list[Section]:
        entries = obj.entries.select_related("transfer").order_by("-id")[:_ENTRIES_SHOWN]
        rows = [
            (
                moment(entry.transfer.created_at),
                page_of(entry.transfer, kind(entry.transfer)),
                entry.transfer.memo,
                amount_of(entry.amount, obj.asset),
                amount_of(entry.balance_after, obj.asset),
            )
            for entry in entries
        ]
        headings = ("When (UTC)", "What", "Memo", "Amount", "Balance after")
        statement = Section(
            "Statement",
            headings,
            rows,
            right=(3, 4),
            empty="No entries.",
            more=self._entries(obj),
        )
        return [statement] if obj.balance is not None else [_total(obj), statement]

    def _entries(self, obj: Account) -> Tool:
        address = reverse("admin:wallets_entry_changelist")
        return Tool("All entries", f"{address}?account__id__exact={obj.pk}")


def _total(account: Account) -> Section:
    """The balance of a system account, which keeps none."""
    found = system_total(account)
    proofs = Tool("Proofs of books", reverse("admin:wallets_booksproof_changelist"))
    headings = ("Balance", "Added up")
    empty = "Too many entries since the last proof of books to add them up here."
    if found is None:
        return Section("Total", headings, [], empty=empty, more=proofs)
    how = "from its entries"
    if found.proof is not None:
        how = page_of(found.proof, f"by the proof of {found.proof.ran_at:%Y-%m-%d %H:%M} and since")
    row = (amount_of(found.amount, account.asset), how)
    return Section("Total of its entries, which is its balance", headings, [row], more=proofs)
