"""Filters of withdrawals, by query parameters."""

from exchange.api.filters import ChangingFilters, CurrencyFilter, EnumeratedFilter, TextFilter
from exchange.api.references import client_reference_filter
from wallets.ledger.filters import WalletOwnerFilters
from wallets.withdrawals.models import WithdrawalStatus


class WithdrawalFilters(ChangingFilters, WalletOwnerFilters):
    """Withdrawals by state, owner, reference, time and amount."""

    status = EnumeratedFilter(allowed=WithdrawalStatus.values, help_text="Status")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the wallet")
    reference = TextFilter(max_length=40, help_text="The whole payout reference")
    client_reference = client_reference_filter()
