"""The ledger in the admin, to read only: from a balance to its entries, from an entry to its
transfer, from a transfer to what it is about, and back.

Every list stays bounded however many entries there are: ordered, searched and narrowed by columns
that have an index, and no page adds up more than the entries since the last proof of books.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from exchange.admin.base import SafeAdmin, Section, Tool, extra_tools
from exchange.admin.exports import Exportable
from exchange.admin.history import actors
from exchange.admin.ranges import AmountRange, DayRange
from exchange.admin.show import moment, page_of
from exchange.exports import Span
from exchange.ids import first_id_at, parse_id
from exchange.models import Member, Organisation
from wallets.admin.export_columns import (
    ENTRIES,
    OF_WHOLE_ACCOUNTS,
    TRANSFERS,
    carried_on,
)
from wallets.admin.show import money
from wallets.models import Account, AccountKind, Asset, Entry, Transfer, TransferKind
from wallets.selectors.currencies import currencies
from wallets.selectors.ledger import system_total, transfers_called
from wallets.selectors.wallets import balance_before

_ENTRIES_SHOWN = 50
_ABOUT_AT_MOST = 5_000
_UNITS = "units"
_RECENT = timedelta(days=31)

# The page that tells of what a transfer is about: by its kind, the address of that page.
_SUBJECTS: dict[str, tuple[str, str]] = {
    TransferKind.DEPOSIT: ("wallets_deposit", "The deposit"),
    TransferKind.WITHDRAWAL_HOLD: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.WITHDRAWAL_SETTLE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.WITHDRAWAL_RELEASE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.WITHDRAWAL_REVERSE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.PROVIDER_CHARGE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.UNITS_ISSUE: ("exchange_token", "The token"),
    TransferKind.UNITS_RETIRE: ("exchange_token", "The token"),
    TransferKind.RAISE_COMPLETE: ("exchange_token", "The token"),
    TransferKind.ORDER_RESERVE: ("orders_order", "The order"),
    TransferKind.ORDER_RELEASE: ("orders_order", "The order"),
    TransferKind.TRADE: ("orders_trade", "The trade"),
    TransferKind.RAISE_SALE: ("orders_trade", "The trade"),
    TransferKind.RAISE_REFUND: ("orders_trade", "The trade"),
    TransferKind.LOAN_DISBURSE: ("credit_loan", "The loan"),
    TransferKind.LOAN_REPAY: ("credit_loan", "The loan"),
    TransferKind.LOAN_PLEDGE: ("credit_loan", "The loan"),
    TransferKind.LOAN_RELEASE: ("credit_loan", "The loan"),
    TransferKind.LOAN_LIQUIDATE: ("credit_loan", "The loan"),
    TransferKind.LOAN_WRITE_OFF: ("credit_loan", "The loan"),
}


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


def subject_of(transfer: Transfer) -> Tool | None:
    """The page of what `transfer` is about; None where there is none."""
    known = _SUBJECTS.get(transfer.kind)
    if known is None or transfer.subject_id is None:
        return None
    name, label = known
    try:
        return Tool(label, reverse(f"admin:{name}_change", args=[transfer.subject_id]))
    except NoReverseMatch:
        return None


def asset_name(asset: Asset) -> str:
    """The currency's code or the token's symbol."""
    return asset.token.symbol if asset.token else asset.pk


def amount_of(amount: Any, asset: Asset) -> str:
    """An amount of a currency, or units by the token's symbol."""
    if asset.token is None or amount is None:
        return money(amount, asset.pk)
    return f"{money(amount, asset.pk).removesuffix(' units')} {asset.token.symbol}"


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
            wanted &= Q(id__gte=first_id_at(timezone.now() - _RECENT))
        return wanted


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
                page_of(entry.transfer, entry.transfer.get_kind_display()),
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
    headings = ("Sum of all entries", "Added up")
    empty = "Too many entries since the last proof of books to add them up here."
    if found is None:
        return Section("Total", headings, [], empty=empty, more=proofs)
    how = "from its entries"
    if found.proof is not None:
        how = page_of(found.proof, f"by the proof of {found.proof.ran_at:%Y-%m-%d %H:%M} and since")
    row = (amount_of(found.amount, account.asset), how)
    return Section("Total", headings, [row], more=proofs)


@admin.register(Transfer)
class TransferAdmin(Exportable):
    export_columns = TRANSFERS
    list_display = ("reference", "kind", "shown_at", "shown_actor", "memo")
    list_filter = ("kind", DayRange)
    search_fields = ("id",)
    search_help_text = "Reference of the transfer, withdrawal or deposit; or any id"
    id_fields = ("pk", "subject_id")
    # Ids follow time and have an index.
    ordering = ("-id",)
    fields = ("id", "kind", "reference", "subject_id", "shown_actor", "memo", "shown_at")
    readonly_fields = fields

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By id or by whole reference."""
        term = search_term.strip()
        if not term or parse_id(term) is not None:
            return super().get_search_results(request, queryset, term)
        return queryset.filter(pk__in=[found.pk for found in transfers_called(term)]), False

    @admin.display(description="when (UTC)", ordering="id")
    def shown_at(self, transfer: Transfer) -> str:
        return moment(transfer.created_at)

    @admin.display(description="by")
    def shown_actor(self, transfer: Transfer) -> str:
        return transfer.actor.partition(":")[0].replace("_", " ").capitalize()

    def tools(self, request: HttpRequest, obj: Transfer) -> list[Tool]:
        if obj.subject_id is None:
            return []
        address = f"{reverse('admin:wallets_transfer_changelist')}?q={obj.subject_id}"
        about = subject_of(obj)
        every = Tool("Everything about the same subject", address)
        return [about, every] if about else [every]

    def sections(self, request: HttpRequest, obj: Transfer) -> list[Section]:
        legs = obj.entries.select_related(
            "account__organisation", "account__member", "account__asset__token"
        ).order_by("id")
        rows = [
            (
                page_of(leg.account, leg.account.get_kind_display()),
                _owner(leg.account),
                amount_of(leg.amount, leg.account.asset),
                amount_of(leg.balance_after, leg.account.asset),
            )
            for leg in legs
        ]
        headings = ("Account", "Owner", "Amount", "Balance after")
        by = Section("Posted by", ("Who",), [(actors([obj.actor])[0],)])
        return [Section("Legs", headings, rows, right=(2, 3)), by]


@admin.register(Entry)
class EntryAdmin(Exportable):
    export_columns = ENTRIES
    export_moment = "transfer__created_at"
    list_display = ("shown_at", "what", "shown_account", "shown_amount", "shown_balance")
    list_filter = (EntryAssetFilter, KindFilter, EntryDays, EntryAmounts)
    list_select_related = (
        "transfer", "account__organisation", "account__member", "account__asset__token",
    )  # fmt: skip
    search_fields = ("id",)
    search_help_text = "Reference of the transfer, withdrawal or deposit; or any id"
    ordering = ("-id",)
    fields = ("id", "shown_at", "what", "shown_account", "shown_amount", "shown_balance")
    readonly_fields = fields

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        known = lookup in {"account__id__exact", "account__owner_id", "account__kind__exact"}
        return known or super().lookup_allowed(lookup, value, request)

    def export_queryset(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """As a statement: oldest first."""
        return rows.select_related("account__asset__token").order_by("id")

    def export_records(self, rows: QuerySet[Any], query: str, span: Span) -> Iterator[Any]:
        """With a running balance wherever whole accounts are exported."""
        entries = super().export_records(rows, query, span)
        if set(QueryDict(query)) - OF_WHOLE_ACCOUNTS:
            return entries

        def opening(account_id: UUID) -> Decimal:
            return balance_before(account_id, span.begins)

        return carried_on(entries, opening)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By the transfers a person may mean."""
        term = search_term.strip()
        if not term:
            return queryset, False
        return queryset.filter(_of_transfers(term, parse_id(term))), False

    @admin.display(description="when (UTC)", ordering="id")
    def shown_at(self, entry: Entry) -> str:
        return moment(entry.transfer.created_at)

    @admin.display(description="transfer")
    def what(self, entry: Entry) -> str:
        return page_of(entry.transfer)

    @admin.display(description="account")
    def shown_account(self, entry: Entry) -> str:
        return page_of(entry.account, f"{entry.account.kind} of {_owner(entry.account)}")

    @admin.display(description="amount")
    def shown_amount(self, entry: Entry) -> str:
        return amount_of(entry.amount, entry.account.asset)

    @admin.display(description="balance after")
    def shown_balance(self, entry: Entry) -> str:
        return amount_of(entry.balance_after, entry.account.asset)


def _of_transfers(term: str, wanted: UUID | None) -> Q:
    if wanted is None:
        return Q(transfer__in=[found.pk for found in transfers_called(term)])
    about = Transfer.objects.filter(Q(pk=wanted) | Q(subject_id=wanted)).order_by("-id")
    found = about.values_list("pk", flat=True)[:_ABOUT_AT_MOST]
    return Q(pk=wanted) | Q(account=wanted) | Q(transfer__in=list(found))


def _owner(account: Account) -> Model | str:
    return account.member or account.organisation or "The exchange"
