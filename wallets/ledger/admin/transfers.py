"""Transfers in the admin, with their legs and a link to their subject."""

from typing import Any

from django.contrib import admin
from django.db.models import CharField, QuerySet, Value
from django.db.models.expressions import Combinable
from django.http import HttpRequest
from django.urls import reverse

from exchange.admin.base import Section, Tool
from exchange.admin.columns import column, time_column
from exchange.admin.display import kind_label, record_link
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.core.ids import parse_id
from exchange.exports.admin import Exportable
from exchange.participants.selectors import describe_actors
from exchange.staff.models import StaffUser
from wallets.ledger.admin.formatting import account_owner, format_account_amount, format_amount
from wallets.ledger.admin.search import TransferSearch, match_legs
from wallets.ledger.admin.signs import SIGN
from wallets.ledger.models import Entry, Transfer, TransferKind
from wallets.ledger.selectors.ledger import amounts_moved

# Maximum number of entries that a search reads.
_MAX_LEGS_SEARCHED = 5_000

# Admin page and link label of a transfer's subject, by kind.
SUBJECTS: dict[str, tuple[str, str]] = {
    TransferKind.DEPOSIT: ("wallets_deposit", "The deposit"),
    TransferKind.DEPOSIT_CLEAR: ("wallets_deposit", "The deposit"),
    TransferKind.DEPOSIT_CHARGE: ("wallets_deposit", "The deposit"),
    TransferKind.DEPOSIT_REVERSE: ("wallets_deposit", "The deposit"),
    TransferKind.DEPOSIT_HOLD: ("wallets_deposit", "The deposit"),
    TransferKind.DEPOSIT_RELEASE: ("wallets_deposit", "The deposit"),
    TransferKind.PAYMENT_UNMATCHED: ("wallets_payment", "The payment"),
    TransferKind.PAYMENT_REFUND: ("wallets_payment", "The payment"),
    TransferKind.RECEIVABLE_REPAY: ("wallets_account", "The account"),
    TransferKind.RECEIVABLE_WRITE_OFF: ("wallets_receivablewriteoff", "The write-off"),
    TransferKind.WITHDRAWAL_HOLD: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.WITHDRAWAL_SETTLE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.WITHDRAWAL_RELEASE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.WITHDRAWAL_REVERSE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.PROVIDER_CHARGE: ("wallets_withdrawal", "The withdrawal"),
    TransferKind.WALLET_TRANSFER: ("wallets_wallettransfer", "The transfer between wallets"),
    TransferKind.CONVERSION: ("wallets_conversion", "The conversion"),
    TransferKind.TREASURY: ("wallets_treasurymovement", "The treasury movement"),
    TransferKind.ADJUSTMENT: ("wallets_adjustingentry", "The adjusting entry"),
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
    TransferKind.DISTRIBUTION_FUND: ("credit_distribution", "The distribution"),
    TransferKind.DISTRIBUTION_REFUND: ("credit_distribution", "The distribution"),
}


def subject_link(transfer: Transfer) -> Tool | None:
    """Return the link to the subject of `transfer`, if it has a page."""
    known = SUBJECTS.get(transfer.kind)
    if known is None or transfer.subject_id is None:
        return None
    name, label = known
    address = reverse(f"admin:{name}_change", args=[transfer.subject_id])
    return Tool(label, address, opens_record=True)


class TransferListFilters(ListFilters):
    kind__exact = ChoiceFilter("kind", TransferKind.choices, title="kind")
    day_from, day_to = day_range()


@admin.register(Transfer)
class TransferAdmin(TransferSearch, Exportable):
    # Name of the payee, from the withdrawal; set by `config.back_office.transfers`.
    payee_name: Combinable = Value(None, output_field=CharField())
    list_display = (
        "time_display", "kind_display", "amount_display", "payee", "memo", "actor_display",
        "reference",
    )  # fmt: skip
    filters = TransferListFilters
    search_fields = ("id",)
    search_help_text = "Reference, amount (31 days), email of an owner, or any ID"
    id_fields = ("pk", "subject_id")
    # Ids follow creation time and are indexed.
    ordering = ("-id",)
    fields = (
        "time_display", "kind_display", "amount_display", "payee", "memo", "poster", "reference",
        "subject_id", "id",
    )  # fmt: skip

    def heading(self, obj: Transfer) -> str:
        return f"{kind_label(obj)} of {obj.created_at:%Y-%m-%d %H:%M:%S} UTC"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        """Return the transfers with the payee of their withdrawal."""
        rows: QuerySet[Any] = super().rows(user).annotate(payee_name=self.payee_name)
        return rows

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Match by id, by full reference, by the amount of a recent leg, or by an owner's email."""
        if parse_id(term) is not None:
            return super().search(rows, term)
        found = self.find_transfer_ids(term)
        legs = match_legs(term)
        if legs is not None:
            newest = (
                Entry.objects.filter(legs).order_by("-id").values_list("transfer_id", flat=True)
            )
            found += newest[:_MAX_LEGS_SEARCHED]
        return rows.filter(pk__in=found)

    time_display = time_column("time (UTC)", "created_at", ordering="id")
    kind_display = column("kind", kind_label, ordering="kind")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, with the moved amounts of all transfers read together."""
        found = super().get_changelist_instance(request)
        rows = list(found.result_list)
        moved = amounts_moved(rows)
        for row in rows:
            row.moved = moved.get(row.pk, [])
        found.result_list = rows
        return found

    @admin.display(description="amount")
    def amount_display(self, transfer: Transfer) -> str:
        listed: list[Any] | None = getattr(transfer, "moved", None)
        moved = amounts_moved([transfer]).get(transfer.pk, []) if listed is None else listed
        return "; ".join(format_amount(amount, asset) for amount, asset in moved) or "-"

    payee = column("payee", lambda transfer: transfer.payee_name or "-")

    @admin.display(description="by")
    def actor_display(self, transfer: Transfer) -> str:
        kind_of_actor = transfer.actor.partition(":")[0].replace("_", " ")
        return kind_of_actor.capitalize().replace("Api", "API")

    poster = column("posted by", lambda transfer: describe_actors([transfer.actor])[0])

    def tools(self, request: HttpRequest, obj: Transfer) -> list[Tool]:
        if obj.subject_id is None:
            return []
        address = f"{reverse('admin:wallets_transfer_changelist')}?q={obj.subject_id}"
        about = subject_link(obj)
        every = Tool("All transfers of this subject", address)
        return [about, every] if about else [every]

    def sections(self, request: HttpRequest, obj: Transfer) -> list[Section]:
        legs = obj.entries.select_related(
            "account__organisation", "account__member", "account__asset__token"
        ).order_by("id")
        rows = [
            (
                record_link(leg.account, kind_label(leg.account)),
                account_owner(leg.account),
                format_account_amount(leg.amount, leg.account),
                format_account_amount(leg.balance_after, leg.account),
            )
            for leg in legs
        ]
        headings = ("Account", "Owner", "Amount", "Balance after")
        return [Section("Entries", headings, rows, right=(2, 3), note=SIGN)]
