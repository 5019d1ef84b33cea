"""All event types of the subjects, for the setting `EVENT_TYPES`."""

from credit.configurations.event_types import EVENT_TYPES as CONFIGURATION_TYPES
from credit.distributions.event_types import EVENT_TYPES as DISTRIBUTION_TYPES
from credit.loans.event_types import EVENT_TYPES as LOAN_TYPES
from exchange.events.event_types import EVENT_TYPES as TEST_TYPES
from orders.book.event_types import EVENT_TYPES as ORDER_TYPES
from orders.listings.event_types import EVENT_TYPES as TOKEN_TYPES
from orders.trades.event_types import EVENT_TYPES as TRADE_TYPES
from wallets.conversions.event_types import EVENT_TYPES as CONVERSION_TYPES
from wallets.deposits.event_types import EVENT_TYPES as DEPOSIT_TYPES
from wallets.transfers.event_types import EVENT_TYPES as TRANSFER_TYPES
from wallets.withdrawals.event_types import EVENT_TYPES as WITHDRAWAL_TYPES

EVENT_TYPES = (
    *WITHDRAWAL_TYPES,
    *TRANSFER_TYPES,
    *CONVERSION_TYPES,
    *DEPOSIT_TYPES,
    *ORDER_TYPES,
    *TRADE_TYPES,
    *TOKEN_TYPES,
    *LOAN_TYPES,
    *CONFIGURATION_TYPES,
    *DISTRIBUTION_TYPES,
    *TEST_TYPES,
)
