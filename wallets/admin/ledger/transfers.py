"""Transfers in the admin: their legs, and the page of what each is about."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from exchange.admin.base import Section, Tool
from exchange.admin.exports import Exportable
from exchange.admin.history import actors
from exchange.admin.ranges import DayRange
from exchange.admin.show import kind, moment, page_of
from exchange.ids import parse_id
from wallets.admin.export_columns import TRANSFERS
from wallets.admin.ledger.words import amount_of, owner_of
from wallets.models import Transfer, TransferKind
from wallets.selectors.ledger import transfers_called

# The page that tells of what a transfer is about: by its kind, the address of that page.
SUBJECTS: dict[str, tuple[str, str]] = {
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


def subject_of(transfer: Transfer) -> Tool | None:
    """The page of what `transfer` is about; None where there is none."""
    known = SUBJECTS.get(transfer.kind)
    if known is None or transfer.subject_id is None:
        return None
    name, label = known
    try:
        return Tool(label, reverse(f"admin:{name}_change", args=[transfer.subject_id]), leads=True)
    except NoReverseMatch:
        return None


@admin.register(Transfer)
class TransferAdmin(Exportable):
    export_columns = TRANSFERS
    list_display = ("shown_at", "shown_kind", "memo", "shown_actor", "reference")
    list_filter = ("kind", DayRange)
    search_fields = ("id",)
    search_help_text = "Reference of the transfer, withdrawal or deposit; or any id"
    id_fields = ("pk", "subject_id")
    # Ids follow time and have an index.
    ordering = ("-id",)
    fields = ("shown_at", "shown_kind", "memo", "poster", "reference", "subject_id", "id")
    readonly_fields = fields

    def heading(self, obj: Transfer) -> str:
        return f"{kind(obj)} of {obj.created_at:%Y-%m-%d %H:%M:%S} UTC"

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

    @admin.display(description="kind", ordering="kind")
    def shown_kind(self, transfer: Transfer) -> str:
        return kind(transfer)

    @admin.display(description="by")
    def shown_actor(self, transfer: Transfer) -> str:
        kind_of_actor = transfer.actor.partition(":")[0].replace("_", " ")
        return kind_of_actor.capitalize().replace("Api", "API")

    @admin.display(description="posted by")
    def poster(self, transfer: Transfer) -> str:
        return actors([transfer.actor])[0]

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
                page_of(leg.account, kind(leg.account)),
                owner_of(leg.account),
                amount_of(leg.amount, leg.account.asset),
                amount_of(leg.balance_after, leg.account.asset),
            )
            for leg in legs
        ]
        headings = ("Account", "Owner", "Amount", "Balance after")
        return [Section("Legs", headings, rows, right=(2, 3))]
