"""Query parameters of balances."""

import django_filters

from exchange.api.filters import CurrencyFilter, IdFilter


class BalanceFilters(django_filters.FilterSet):
    """Filters balances by owner and currency."""

    owner = IdFilter(field_name="owner_id", help_text="ID of the organisation or of a member")
    currency = CurrencyFilter(field_name="asset_id", help_text="Currency of the balance")
