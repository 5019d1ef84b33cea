"""What the OpenAPI document says of the whole API: its introduction, its parts, ids in paths."""

from typing import Any

from config.api_docs.guide import CODE_SAMPLES, code_samples, guide
from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.examples import CONFIGURATION_ID
from credit.distributions.errors import DistributionNotFound
from credit.distributions.examples import DISTRIBUTION_ID
from credit.loans.errors import LoanNotFound
from credit.loans.examples import LOAN_ID
from exchange.api.schema_parts import PathId
from exchange.core.examples import DEPOSIT_ID, EVENT_ID, MEMBER_ID, TOKEN_ID, WITHDRAWAL_ID
from exchange.events.errors import EndpointNotFound, EventNotFound
from exchange.events.examples import ENDPOINT_ID
from exchange.participants.errors import UserNotFound
from exchange.tokens.errors import TokenNotFound
from orders.book.errors import OrderNotFound
from orders.book.examples import ORDER_ID
from orders.trades.examples import TRADE
from orders.trades.notes import FillNotFound
from wallets.conversions.errors import ConversionNotFound
from wallets.conversions.examples import CONVERSION_ID
from wallets.deposits.errors import DepositNotFound
from wallets.transfers.errors import TransferNotFound
from wallets.transfers.examples import TRANSFER_ID
from wallets.withdrawals.errors import WithdrawalNotFound

# In the order of the document; viewsets name theirs.
TAGS = {
    "Access": "Access tokens from the OAuth 2.0 client credentials grant (RFC 6749 §4.4).",
    "Members": "The people your organisation acts for.",
    "Tokens": "The catalogue of tokenized investments.",
    "Orders": "Place, list and cancel orders.",
    "Markets": "The market of a token: its order book, orders and trades.",
    "Investments": "Token units held by your organisation and its members.",
    "Distributions": "What investments pay: dividends and interest, from proposal to payment.",
    "Loans": "Loans secured by token units, from quote to repayment.",
    "Loan configurations": "The terms on which loans are made.",
    "Wallets": "Balances and statements of your organisation's wallet and of its members' wallets.",
    "Deposits": "Money that arrives, by virtual account, checkout or by hand.",
    "Withdrawals": "Payouts to bank accounts.",
    "Transfers": "Money moved between the wallets of your organisation and its members.",
    "Conversions": "Money of a wallet converted into another currency, by a quote.",
    "Banks": "Banks that payouts can reach, and the names of account holders.",
    "Webhook": "The endpoints that receive your events, and the secrets that sign them.",
    "Requests": "What your API keys sent, and what was refused.",
    "Events": "Events of your records and their delivery.",
}

PATH_IDS = {
    "client_order_id": PathId("order, its `client_order_id`", "2025-07-04-17", OrderNotFound),
    "configuration_id": PathId("loan configuration", CONFIGURATION_ID, ConfigurationNotFound),
    "conversion_id": PathId("conversion", CONVERSION_ID, ConversionNotFound),
    "deposit_id": PathId("deposit", DEPOSIT_ID, DepositNotFound),
    "distribution_id": PathId("distribution", DISTRIBUTION_ID, DistributionNotFound),
    "endpoint_id": PathId("webhook endpoint", ENDPOINT_ID, EndpointNotFound),
    "event_id": PathId("event", EVENT_ID, EventNotFound),
    "loan_id": PathId("loan", LOAN_ID, LoanNotFound),
    "member_id": PathId("member", MEMBER_ID, UserNotFound, owner="a member"),
    "order_id": PathId("order", ORDER_ID, OrderNotFound),
    "token_id": PathId("token", TOKEN_ID, TokenNotFound),
    "transfer_id": PathId("transfer", TRANSFER_ID, TransferNotFound),
    "trade_id": PathId("trade", TRADE["_id"], FillNotFound),
    "withdrawal_id": PathId("withdrawal", WITHDRAWAL_ID, WithdrawalNotFound),
}


def introduce(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the guide and the tags."""
    result["info"]["description"] = guide()
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    result["x-tagGroups"] = [{"name": "API reference", "tags": list(TAGS)}]
    return result


def add_code_samples(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the examples of the guide to the operations that they call."""
    for path in result["paths"].values():
        for operation in path.values():
            if example := CODE_SAMPLES.get(operation["operationId"]):
                operation["x-codeSamples"] = code_samples(example)
    return result
