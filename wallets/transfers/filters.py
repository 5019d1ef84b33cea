"""Filters of transfers between wallets, by query parameters."""

from django.db.models import Q, QuerySet

from exchange.api.filters import CurrencyFilter, DatedFilters, EnumeratedFilter, IdFilter
from exchange.api.references import client_reference_filter
from wallets.ledger.filters import AmountFilters
from wallets.transfers.models import WalletTransfer, WalletTransferStatus


class TransferFilters(DatedFilters, AmountFilters):
    """Transfers by wallets, currency, reference, time and amount."""

    status = EnumeratedFilter(allowed=WalletTransferStatus.values, help_text="Status")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the wallets")
    user_id = IdFilter(method="of_member", help_text="ID of the member that paid or was paid")
    from_user_id = IdFilter(field_name="from_member_id", help_text="ID of the member that paid")
    to_user_id = IdFilter(field_name="to_member_id", help_text="ID of the member that was paid")
    client_reference = client_reference_filter()

    def of_member(
        self, queryset: QuerySet[WalletTransfer], _name: str, value: object
    ) -> QuerySet[WalletTransfer]:
        """Filter by the member on either side."""
        return queryset.filter(Q(from_member_id=value) | Q(to_member_id=value))
