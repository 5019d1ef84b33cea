"""Filters of deposits, by query parameters."""

from __future__ import annotations

from django.db.models import QuerySet

from exchange.api.filters import (
    AmountFilter,
    ChangingFilters,
    ChoiceFilter,
    CurrencyFilter,
    IdFilter,
    TextFilter,
)
from exchange.api.references import client_reference_filter
from wallets.deposits.models import Deposit, DepositChannel, DepositStatus


class DepositFilters(ChangingFilters):
    """Deposits by state, channel, owner, reference, time and amount."""

    status = ChoiceFilter(allowed=DepositStatus.values, help_text="Status")
    channel = ChoiceFilter(allowed=DepositChannel.values, help_text="How it arrives")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the wallet")
    owner_model = ChoiceFilter(
        allowed=("organisation", "user"),
        method="of_owner_model",
        help_text="`organisation` for the organisation's wallet, `user` for a member's",
    )
    owner = IdFilter(field_name="owner_id", help_text="ID of the organisation or member")
    user_id = IdFilter(field_name="member_id", help_text="ID of the member")
    reference = TextFilter(max_length=100, help_text="The whole reference")
    provider_reference = TextFilter(
        max_length=100, help_text="The whole reference of the payment provider"
    )
    client_reference = client_reference_filter()
    amount_from = AmountFilter(
        field_name="amount", lookup_expr="gte", help_text="Minimum amount, inclusive"
    )
    amount_to = AmountFilter(
        field_name="amount", lookup_expr="lte", help_text="Maximum amount, inclusive"
    )

    class Meta:
        model = Deposit
        fields: tuple[str, ...] = ()

    def of_owner_model(
        self, queryset: QuerySet[Deposit], _name: str, value: str
    ) -> QuerySet[Deposit]:
        """Filter by the organisation's own wallet or its members'."""
        return queryset.filter(member__isnull=value == "organisation")
