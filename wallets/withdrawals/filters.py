"""Filters of withdrawals, by query parameters."""

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
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus


class WithdrawalFilters(ChangingFilters):
    """Withdrawals by state, owner, reference, time and amount."""

    status = ChoiceFilter(allowed=WithdrawalStatus.values, help_text="Status")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the wallet")
    owner_model = ChoiceFilter(
        allowed=("organisation", "user"),
        method="of_owner_model",
        help_text="`organisation` for the organisation's wallet, `user` for a member's",
    )
    owner = IdFilter(field_name="owner_id", help_text="ID of the organisation or member")
    user_id = IdFilter(field_name="member_id", help_text="ID of the member")
    reference = TextFilter(max_length=40, help_text="The whole payout reference")
    client_reference = client_reference_filter()
    amount_from = AmountFilter(
        field_name="amount", lookup_expr="gte", help_text="Minimum amount, inclusive"
    )
    amount_to = AmountFilter(
        field_name="amount", lookup_expr="lte", help_text="Maximum amount, inclusive"
    )

    class Meta:
        model = Withdrawal
        fields: tuple[str, ...] = ()

    def of_owner_model(
        self, queryset: QuerySet[Withdrawal], _name: str, value: str
    ) -> QuerySet[Withdrawal]:
        """Filter by the organisation's own wallet or its members'."""
        return queryset.filter(member__isnull=value == "organisation")
