"""Filters of conversions, by query parameters."""

from __future__ import annotations

from django.db.models import QuerySet

from exchange.api.filters import (
    AmountFilter,
    ChoiceFilter,
    CurrencyFilter,
    DatedFilters,
    IdFilter,
)
from wallets.conversions.models import Conversion, ConversionStatus


class ConversionFilters(DatedFilters):
    """Conversions by owner, currencies, quote, time and amount."""

    status = ChoiceFilter(allowed=ConversionStatus.values, help_text="Status")
    from_currency = CurrencyFilter(field_name="from_currency_id", help_text="Currency of `amount`")
    to_currency = CurrencyFilter(
        field_name="to_currency_id", help_text="Currency of `converted_amount`"
    )
    owner_model = ChoiceFilter(
        allowed=("organisation", "user"),
        method="of_owner_model",
        help_text="`organisation` for the organisation's wallet, `user` for a member's",
    )
    owner = IdFilter(field_name="owner_id", help_text="ID of the organisation or member")
    user_id = IdFilter(field_name="member_id", help_text="ID of the member")
    quote_id = IdFilter(field_name="quote_id", help_text="ID of the quote")
    amount_from = AmountFilter(
        field_name="amount", lookup_expr="gte", help_text="Minimum amount, inclusive"
    )
    amount_to = AmountFilter(
        field_name="amount", lookup_expr="lte", help_text="Maximum amount, inclusive"
    )

    class Meta:
        model = Conversion
        fields: tuple[str, ...] = ()

    def of_owner_model(
        self, queryset: QuerySet[Conversion], _name: str, value: str
    ) -> QuerySet[Conversion]:
        """Filter by the organisation's own wallet or its members'."""
        return queryset.filter(member__isnull=value == "organisation")
