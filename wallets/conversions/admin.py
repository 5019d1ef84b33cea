"""Read-only admin pages of conversions."""

from django.contrib import admin
from django.db.models import CharField, Value
from django.db.models.functions import Concat
from django.http import HttpRequest
from django.urls import reverse

from exchange.admin.base import Tool
from exchange.admin.columns import column, money_column, time_column
from exchange.admin.display import format_time, record_link
from exchange.admin.list_filters import ListFilters, currency_filter, day_range, id_filter
from exchange.admin.site_search import SearchKind
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped
from exchange.exports.admin import Exportable
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.participants.selectors import describe_actors
from wallets.conversions.models import Conversion
from wallets.fees.definitions import describe_value


class ConversionListFilters(ListFilters):
    from_currency__code__exact = currency_filter("from_currency", title="sold")
    to_currency__code__exact = currency_filter("to_currency", title="bought")
    organisation_name = OrganisationNameFilter()
    day_from, day_to = day_range()
    owner_id = id_filter("owner_id")


@admin.register(Conversion)
class ConversionAdmin(Exportable, OwnedRecordAdmin):
    filters = ConversionListFilters
    list_display = (
        "created", "owned_by", "amount_display", "converted_display", "fee_display", "rate_display",
    )  # fmt: skip
    list_select_related = ("organisation", "member")
    search_fields = ("organisation__name", "member__name")
    search_help_text = "Organisation, member, amount, email or ID"
    id_fields = ("pk", "owner_id", "organisation_id", "quote_id")
    amount_fields = ("amount", "converted_amount")
    # Ids grow with time and have an index.
    ordering = ("-pk",)
    fields = (
        ("created_display", "owner"), ("amount_display", "converted_display"),
        ("rate_display", "fee_display"), ("rates", "spreads"),
        ("requester", "organisation_display"), ("quote_id", "id"),
    )  # fmt: skip

    def heading(self, obj: Conversion) -> str:
        return f"{self.amount_display(obj)} to {self.converted_display(obj)}"

    created = time_column("time (UTC)", "created_at", ordering="pk")
    created_display = time_column("time (UTC)", "created_at")

    amount_display = money_column("sold", "amount", "from_currency_id", ordering="amount")
    converted_display = money_column(
        "bought", "converted_amount", "to_currency_id", ordering="converted_amount"
    )
    fee_display = money_column("spread income", "fee", "to_currency_id", ordering="fee")

    @admin.display(description="rate")
    def rate_display(self, conversion: Conversion) -> str:
        return _rate(conversion)

    @admin.display(description="rates")
    def rates(self, conversion: Conversion) -> str:
        source, target = map(format_grouped, (conversion.from_rate, conversion.to_rate))
        return (
            f"{source} {conversion.from_currency_id}, {target} {conversion.to_currency_id} per USD"
        )

    @admin.display(description="spreads")
    def spreads(self, conversion: Conversion) -> str:
        sides = (
            (conversion.from_currency_id, conversion.from_spread),
            (conversion.to_currency_id, conversion.to_spread),
        )
        return ", ".join(
            f"{describe_value(f'CONVERSION_SPREAD_{code}', spread)} {code}"
            for code, spread in sides
        )

    requester = column(
        "requested by", lambda conversion: describe_actors([conversion.requested_by])[0]
    )

    def tools(self, request: HttpRequest, obj: Conversion) -> list[Tool]:
        address = f"{reverse('admin:wallets_transfer_changelist')}?q={obj.pk}"
        return [Tool("Transfer in the ledger", address)]


CONVERSIONS = SearchKind(
    model=Conversion,
    describe=lambda conversion: (conversion.member or conversion.organisation,),
    ids=("pk", "quote_id"),
    amounts=(("amount", "from_currency"),),
    related=("member", "organisation"),
)


class ConversionsPanel(OwnerRecords):
    """The newest conversions of an owner, on the owner's page."""

    tab = "Money"
    model = Conversion
    title = "Conversions"
    headings = ("Time (UTC)", "Sold", "Bought", "Rate", "Spread income")
    right = (1, 2, 3, 4)
    timeline = TimelineColumns(
        "Conversion",
        text=Concat(Value("into "), "to_currency_id", output_field=CharField()),
        amount="amount",
        currency="from_currency_id",
        state="status",
    )

    def cells(self, record: Conversion, owner: Owner) -> tuple[object, ...]:
        return (
            record_link(record, format_time(record.created_at)),
            format_money(record.amount, record.from_currency_id),
            format_money(record.converted_amount, record.to_currency_id),
            _rate(record),
            format_money(record.fee, record.to_currency_id),
        )


def _rate(conversion: Conversion) -> str:
    unit = f"{conversion.to_currency_id} per {conversion.from_currency_id}"
    return f"{format_grouped(conversion.rate)} {unit}"
