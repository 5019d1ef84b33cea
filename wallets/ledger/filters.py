"""Query parameters of statements, and of records of wallets."""

from typing import Any

import django_filters
from django.db.models import QuerySet

from exchange.api.filters import (
    AmountFilter,
    CurrencyFilter,
    DatedFilters,
    EnumeratedFilter,
    FromFilter,
    IdFilter,
    ToFilter,
)
from wallets.ledger.models import TransferKind
from wallets.ledger.selectors.wallets import WALLET_KINDS


class TransactionFilters(DatedFilters):
    """Filters by currency, transfer kind, account kind and time."""

    currency = CurrencyFilter(field_name="asset_id", help_text="Currency of the account")
    type = EnumeratedFilter(
        field_name="transfer__kind", allowed=TransferKind.values, help_text="Type of movement"
    )
    account = EnumeratedFilter(
        field_name="account__kind",
        allowed=[str(kind) for kind in WALLET_KINDS],
        help_text="Account of the wallet",
    )
    created_from = FromFilter("transfer__created_at")
    created_to = ToFilter("transfer__created_at")


class AmountFilters(django_filters.FilterSet):
    """Filters by `amount`."""

    amount_from = AmountFilter(
        field_name="amount", lookup_expr="gte", help_text="Minimum amount, inclusive"
    )
    amount_to = AmountFilter(
        field_name="amount", lookup_expr="lte", help_text="Maximum amount, inclusive"
    )


class WalletOwnerFilters(AmountFilters):
    """Filters by the owner of a wallet, the organisation or its `member`, and by `amount`."""

    owner_model = EnumeratedFilter(
        allowed=("organisation", "user"),
        method="of_owner_model",
        help_text="`organisation` for the organisation's wallet, `user` for a member's",
    )
    owner = IdFilter(field_name="owner_id", help_text="ID of the organisation or member")
    user_id = IdFilter(field_name="member_id", help_text="ID of the member")

    def of_owner_model(self, queryset: QuerySet[Any], _name: str, value: str) -> QuerySet[Any]:
        """Filter by the organisation's own wallet or its members'."""
        return queryset.filter(member__isnull=value == "organisation")
