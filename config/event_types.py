"""All event types of the subjects, and what describes their bodies, for the settings."""

from credit.configurations.event_types import EVENT_TYPES as CONFIGURATION_TYPES
from credit.distributions.event_types import EVENT_TYPES as DISTRIBUTION_TYPES
from credit.loans.event_types import EVENT_TYPES as LOAN_TYPES
from exchange.events.event_types import EVENT_TYPES as TEST_TYPES
from exchange.questions.event_types import EVENT_TYPES as QUESTION_TYPES
from orders.book.event_types import EVENT_TYPES as ORDER_TYPES
from orders.listings.event_types import EVENT_TYPES as TOKEN_TYPES
from orders.trades.event_types import EVENT_TYPES as TRADE_TYPES
from wallets.closing.event_types import EVENT_TYPES as MEMBER_TYPES
from wallets.conversions.event_types import EVENT_TYPES as CONVERSION_TYPES
from wallets.deposits.event_types import EVENT_TYPES as DEPOSIT_TYPES
from wallets.freezes.event_types import EVENT_TYPES as FREEZE_TYPES
from wallets.receivables.event_types import EVENT_TYPES as DEBT_TYPES
from wallets.transfers.event_types import EVENT_TYPES as TRANSFER_TYPES
from wallets.withdrawals.event_types import EVENT_TYPES as WITHDRAWAL_TYPES

EVENT_TYPES = (
    *WITHDRAWAL_TYPES,
    *TRANSFER_TYPES,
    *CONVERSION_TYPES,
    *DEPOSIT_TYPES,
    *MEMBER_TYPES,
    *FREEZE_TYPES,
    *QUESTION_TYPES,
    *DEBT_TYPES,
    *ORDER_TYPES,
    *TRADE_TYPES,
    *TOKEN_TYPES,
    *LOAN_TYPES,
    *CONFIGURATION_TYPES,
    *DISTRIBUTION_TYPES,
    *TEST_TYPES,
)

# They describe the body of each type in the OpenAPI document.
SCHEMA_HOOKS = (
    "wallets.withdrawals.event_schema.add_withdrawal_events",
    "wallets.transfers.event_schema.add_transfer_events",
    "wallets.freezes.event_schema.add_freeze_events",
    "exchange.questions.event_schema.add_question_events",
    "wallets.receivables.event_schema.add_debt_events",
    "wallets.closing.event_schema.add_member_events",
    "wallets.conversions.event_schema.add_conversion_events",
    "wallets.deposits.event_schema.add_deposit_events",
    "orders.book.event_schema.add_order_events",
    "orders.trades.event_schema.add_trade_events",
    "orders.listings.event_schema.add_token_events",
    "credit.loans.event_schema.add_loan_events",
    "credit.distributions.event_schema.add_distribution_events",
    "exchange.events.event_schema.add_endpoint_events",
)
