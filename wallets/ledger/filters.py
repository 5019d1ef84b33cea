"""Query parameters of statements."""

from __future__ import annotations

from exchange.api.filters import (
    ChoiceFilter,
    CurrencyFilter,
    DatedFilters,
    FromFilter,
    ToFilter,
)
from wallets.ledger.models import Entry, TransferKind
from wallets.ledger.selectors.wallets import WALLET_KINDS


class TransactionFilters(DatedFilters):
    """Filters by currency, transfer kind, account kind and time."""

    currency = CurrencyFilter(field_name="asset_id", help_text="Currency of the account")
    type = ChoiceFilter(
        field_name="transfer__kind", allowed=TransferKind.values, help_text="Type of movement"
    )
    account = ChoiceFilter(
        field_name="account__kind",
        allowed=[str(kind) for kind in WALLET_KINDS],
        help_text="Account of the wallet",
    )
    created_from = FromFilter("transfer__created_at")
    created_to = ToFilter("transfer__created_at")

    class Meta:
        model = Entry
        fields: tuple[str, ...] = ()
