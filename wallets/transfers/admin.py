"""Read-only admin pages of transfers between wallets."""

from collections.abc import Mapping, Sequence

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from exchange.admin.base import SafeAdmin, Tool
from exchange.admin.columns import column, link_column, money_column, time_column
from exchange.admin.display import format_time, record_link
from exchange.admin.list_filters import ListFilters, currency_filter, day_range, id_filter
from exchange.admin.site_search import SearchKind
from exchange.core.currencies import format_money
from exchange.exports.admin import Exportable
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from exchange.participants.models import Member
from exchange.participants.selectors import describe_actors, find_participants_by_email
from wallets.transfers.models import WalletTransfer


class WalletTransferFilters(ListFilters):
    currency__code__exact = currency_filter()
    organisation_name = OrganisationNameFilter()
    day_from, day_to = day_range()
    payer_id = id_filter("payer_id")
    payee_id = id_filter("payee_id")


@admin.register(WalletTransfer)
class WalletTransferAdmin(Exportable, SafeAdmin):
    filters = WalletTransferFilters
    list_display = ("created", "organisation", "payer", "payee", "amount_display", "reference")
    list_select_related = ("organisation", "from_member", "to_member")
    search_fields = ("client_reference", "organisation__name")
    search_help_text = "Client reference, organisation, amount, email of either owner, or ID"
    id_fields = ("pk", "payer_id", "payee_id", "organisation_id")
    amount_fields = ("amount",)
    # Ids grow with time and have an index.
    ordering = ("-pk",)
    fields = (
        ("created_display", "amount_display"), ("payer", "payee"), "organisation_display",
        ("requester", "reference"), ("metadata", "id"),
    )  # fmt: skip

    def heading(self, obj: WalletTransfer) -> str:
        return f"{self.amount_display(obj)} of {obj.created_at:%Y-%m-%d %H:%M:%S} UTC"

    def exact_match(self, term: str) -> Q | None:
        """Match `term` as an amount or the email of either owner; None when it is neither."""
        match = super().exact_match(term)
        if match is not None or "@" not in term:
            return match
        ids = [participant.owner_id for participant in find_participants_by_email(term)]
        return Q(payer_id__in=ids) | Q(payee_id__in=ids)

    created = time_column("time (UTC)", "created_at", ordering="pk")
    created_display = time_column("time (UTC)", "created_at")
    payer = column("from", lambda transfer: _wallet_link(transfer, transfer.from_member))
    payee = column("to", lambda transfer: _wallet_link(transfer, transfer.to_member))
    organisation_display = link_column("organisation", "organisation")

    amount_display = money_column("amount", "amount", ordering="amount")
    reference = column("client reference", lambda transfer: transfer.client_reference or "-")
    requester = column("requested by", lambda transfer: describe_actors([transfer.requested_by])[0])

    def tools(self, request: HttpRequest, obj: WalletTransfer) -> list[Tool]:
        address = f"{reverse('admin:wallets_transfer_changelist')}?q={obj.pk}"
        return [Tool("Transfer in the ledger", address)]


WALLET_TRANSFERS = SearchKind(
    model=WalletTransfer,
    describe=lambda transfer: (
        f"from {transfer.from_member or transfer.organisation}",
        f"to {transfer.to_member or transfer.organisation}",
    ),
    texts=("client_reference",),
    amounts=(("amount", "currency"),),
    related=("organisation", "from_member", "to_member"),
)


class WalletTransfersPanel(OwnerRecords):
    """The newest transfers from and to the wallets of an owner, on the owner's page."""

    tab = "Money"
    model = WalletTransfer
    title = "Wallet transfers"
    headings = ("Time (UTC)", "From", "To", "Amount", "Client reference")
    right = (3,)
    related = ("organisation", "from_member", "to_member")
    has_member = False
    timeline = TimelineColumns(
        "Wallet transfer",
        text="client_reference",
        amount="amount",
        currency="currency_id",
        state="status",
    )

    def branches(self, owner: Owner) -> Sequence[Q]:
        if isinstance(owner, Member):
            return (Q(payer_id=owner.pk), Q(payee_id=owner.pk))
        return (Q(organisation=owner.pk),)

    def cells(self, record: WalletTransfer, owner: Owner) -> tuple[object, ...]:
        sides = (record.from_member or record.organisation, record.to_member or record.organisation)
        return (
            record_link(record, format_time(record.created_at)),
            *(str(side) if side == owner else record_link(side) for side in sides),
            format_money(record.amount, record.currency_id),
            record.client_reference or "-",
        )

    def list_query(self, owner: Owner) -> Mapping[str, str]:
        return {"q": str(owner.pk)}


def _wallet_link(transfer: WalletTransfer, member: Member | None) -> str:
    return record_link(member or transfer.organisation)
