"""Accounts in the admin, and links to the wallet, statement and payments of an owner."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import Section, Tool
from exchange.admin.columns import column
from exchange.admin.display import format_time, kind_label, list_url, record_link
from exchange.admin.list_filters import ChoiceFilter, ListFilter, ListFilters, id_filter
from exchange.admin.search import amount_condition
from exchange.core.currencies import currencies
from exchange.core.ids import parse_id
from exchange.exports.admin import Exportable
from exchange.participants.admin.name_filters import owner_name_contains
from exchange.participants.admin.owner_search import owner_email_is
from exchange.participants.models import Member, Organisation
from wallets.ledger.admin.formatting import ACCOUNT_DESCRIPTIONS, asset_name, format_account_amount
from wallets.ledger.admin.signs import SIGN
from wallets.ledger.admin.trial_balance import trial_balance_page
from wallets.ledger.models import Account, AccountKind
from wallets.ledger.selectors.ledger import SystemBalance, system_balances

_ENTRIES_SHOWN = 50
_UNITS = "units"


def wallet_link(owner: Organisation | Member) -> Tool:
    """Return the link to an owner's accounts."""
    return Tool("Accounts", list_url("wallets_account", owner_id=str(owner.pk)))


def statement_link(owner: Organisation | Member) -> Tool:
    """Return the link to an owner's ledger entries."""
    return Tool("Ledger entries", list_url("wallets_entry", account__owner_id=str(owner.pk)))


def withdrawals_link(owner: Organisation | Member) -> Tool:
    """Return the link to an owner's withdrawals."""
    address = list_url("wallets_withdrawal", status="all", owner_id=str(owner.pk))
    return Tool("Withdrawals", address)


def deposits_link(owner: Organisation | Member) -> Tool:
    """Return the link to an owner's deposits."""
    return Tool("Deposits", list_url("wallets_deposit", owner_id=str(owner.pk)))


def asset_filter(column: str) -> ListFilter:
    """Return a filter by currency, or by all tokens together."""
    return ChoiceFilter(
        title="asset",
        choices=lambda: [*((code, code) for code in currencies()), (_UNITS, "Units of tokens")],
        condition=lambda chosen: (
            Q(**{f"{column}__token__isnull": False}) if chosen == _UNITS else Q(**{column: chosen})
        ),
    )


class AccountFilters(ListFilters):
    kind__exact = ChoiceFilter("kind", AccountKind.choices, title="kind")
    counts = asset_filter("asset")
    owner_id = id_filter("owner_id")
    organisation = id_filter("organisation")
    asset__id__exact = ListFilter("asset")


@admin.register(Account)
class AccountAdmin(Exportable):
    list_display = ("heading", "owner", "balance_display")
    filters = AccountFilters
    list_select_related = ("organisation", "member", "asset__token")
    search_fields = ("id",)
    search_help_text = "Name, email or ID of the owner, balance, ID of the account"
    list_note = SIGN
    reports = {"trial_balance": trial_balance_page}
    fields = ("owner", "asset_display", "kind", "balance_display", "holds", "id")

    def default_order(self, query: Mapping[str, str]) -> tuple[str, ...]:
        # One wallet is listed by currency; all accounts in the order of the index.
        narrowed = {"owner_id", "q", "asset__id__exact"} & query.keys()
        return ("asset", "kind", "id") if narrowed else ("-id",)

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Match by id, by balance, or by the name or email of the owner."""
        record_id = parse_id(term)
        if record_id is not None:
            return rows.filter(Q(pk=record_id) | Q(owner_id=record_id))
        exact = amount_condition(term, ("balance",)) or owner_email_is(term, ("",))
        return rows.filter(exact or owner_name_contains(term))

    @admin.display(description="asset")
    def asset_display(self, account: Account) -> str:
        token = account.asset.token
        return record_link(token) if token else asset_name(account.asset)

    @admin.display(description="account")
    def heading(self, account: Account) -> str:
        owner = account.member or account.organisation or "the exchange"
        return f"{asset_name(account.asset)} {account.kind} of {owner}"

    @admin.display(description="owner")
    def owner(self, account: Account) -> str:
        owner = account.member or account.organisation
        return record_link(owner) if owner else "The exchange"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, with all balances of system accounts read together."""
        found = super().get_changelist_instance(request)
        rows = list(found.result_list)
        totals = system_balances([row for row in rows if row.balance is None])
        for row in rows:
            row.total = totals.get(row.pk)
        found.result_list = rows
        return found

    @admin.display(description="balance", ordering="balance")
    def balance_display(self, account: Account) -> str:
        if account.balance is not None:
            return format_account_amount(account.balance, account)
        listed: SystemBalance | None = getattr(account, "total", None)
        total = listed or system_balances([account])[account.pk]
        shown = format_account_amount(total.amount, account)
        if not total.complete:
            return format_html("{} {}", shown, _balance_as_of(total))
        return shown if listed else format_html("{} {}", shown, _balance_source(total))

    holds = column("purpose", lambda account: f"{ACCOUNT_DESCRIPTIONS[account.kind]}. {SIGN}")

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
                format_time(entry.transfer.created_at),
                record_link(entry.transfer, kind_label(entry.transfer)),
                entry.transfer.memo,
                format_account_amount(entry.amount, obj),
                format_account_amount(entry.balance_after, obj),
            )
            for entry in entries
        ]
        headings = ("Time (UTC)", "Type", "Memo", "Amount", "Balance after")
        return [
            Section(
                "Statement",
                headings,
                rows,
                right=(3, 4),
                empty="No entries.",
                more=self._entries(obj),
            )
        ]

    def _entries(self, obj: Account) -> Tool:
        address = reverse("admin:wallets_entry_changelist")
        return Tool("All entries", f"{address}?account__id__exact={obj.pk}")


def _balance_source(total: SystemBalance) -> str:
    """Return the source of a system account's balance."""
    if total.proof is None:
        return "(sum of entries)"
    proof = record_link(total.proof, f"proof of {total.proof.ran_at:%Y-%m-%d %H:%M} UTC")
    return format_html("(balance at the {} plus entries since)", proof)


def _balance_as_of(total: SystemBalance) -> str:
    """Return the time of a balance that does not include the latest entries."""
    if total.proof is None:
        return "(available after the first ledger integrity check)"
    proof = record_link(total.proof, f"proof of {total.proof.ran_at:%Y-%m-%d %H:%M} UTC")
    return format_html("(as of the {})", proof)
