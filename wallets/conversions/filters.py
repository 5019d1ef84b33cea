"""Filters of conversions, by query parameters."""

from exchange.api.filters import CurrencyFilter, DatedFilters, EnumeratedFilter, IdFilter
from wallets.conversions.models import ConversionStatus
from wallets.ledger.filters import WalletOwnerFilters


class ConversionFilters(DatedFilters, WalletOwnerFilters):
    """Conversions by owner, currencies, quote, time and amount."""

    status = EnumeratedFilter(allowed=ConversionStatus.values, help_text="Status")
    from_currency = CurrencyFilter(field_name="from_currency_id", help_text="Currency of `amount`")
    to_currency = CurrencyFilter(
        field_name="to_currency_id", help_text="Currency of `converted_amount`"
    )
    quote_id = IdFilter(field_name="quote_id", help_text="ID of the quote")
