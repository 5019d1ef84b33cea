"""Filters of deposits, by query parameters."""

from exchange.api.filters import (
    ChangingFilters,
    CurrencyFilter,
    DatedFilters,
    EnumeratedFilter,
    IdFilter,
    TextFilter,
)
from exchange.api.references import client_reference_filter
from wallets.deposits.models import DepositChannel, DepositStatus
from wallets.ledger.filters import WalletOwnerFilters


class DepositFilters(ChangingFilters, WalletOwnerFilters):
    """Deposits by state, channel, owner, reference, time and amount."""

    status = EnumeratedFilter(allowed=DepositStatus.values, help_text="Status")
    channel = EnumeratedFilter(allowed=DepositChannel.values, help_text="How it arrives")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the wallet")
    reference = TextFilter(max_length=100, help_text="The whole reference")
    provider_reference = TextFilter(
        max_length=100, help_text="The whole reference of the payment provider"
    )
    client_reference = client_reference_filter()


class VirtualAccountFilters(DatedFilters):
    """Virtual accounts by owner, currency and time."""

    owner = IdFilter(field_name="owner_id", help_text="ID of the organisation or of a member")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the account")
