"""Filters of distributions and income."""

from credit.distributions.models import (
    DistributionStatus,
    DistributionType,
    IncomeStatus,
)
from exchange.api.filters import (
    ChangingFilters,
    CurrencyFilter,
    DatedFilters,
    EnumeratedFilter,
    FlagFilter,
    IdFilter,
)


class DistributionFilters(ChangingFilters):
    """Filter distributions by token, kind, state and time."""

    token = IdFilter(field_name="token_id", help_text="ID of the token")
    type = EnumeratedFilter(allowed=DistributionType.values, help_text="What is paid")
    status = EnumeratedFilter(allowed=DistributionStatus.values, help_text="Status")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the amounts")
    overdue = FlagFilter(help_text="Whether it is overdue")


class PaymentFilters(DatedFilters):
    """Filter the payments of a distribution by status and time."""

    status = EnumeratedFilter(allowed=IncomeStatus.values, help_text="Status")


class IncomeFilters(PaymentFilters):
    """Filter income by owner, investment, status and time."""

    user_id = IdFilter(field_name="member_id", help_text="ID of the member")
    owner = IdFilter(field_name="owner_id", help_text="ID of the organisation or member")
    token = IdFilter(field_name="distribution__token_id", help_text="ID of the token")
    distribution = IdFilter(field_name="distribution_id", help_text="ID of the distribution")
    type = EnumeratedFilter(
        field_name="distribution__type", allowed=DistributionType.values, help_text="What is paid"
    )
    currency = CurrencyFilter(
        field_name="distribution__currency_id", help_text="Currency of the amounts"
    )
