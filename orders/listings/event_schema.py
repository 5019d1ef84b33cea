"""OpenAPI schema of the events of listed tokens."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from exchange.tokens.examples import TERMS as TERMS_EXAMPLE
from exchange.tokens.examples import TOKEN as TOKEN_EXAMPLE
from exchange.tokens.payloads import TERMS, TOKEN
from orders.listings.event_types import EVENT_TYPES

_TERMS = NamedSchema(
    "TokenTermsEventData",
    closed_object({"terms": TERMS}),
    {"token.terms_changed": {"terms": {**TERMS_EXAMPLE, "version": 2}}},
)


_TOKEN = NamedSchema(
    "TokenEventData",
    closed_object({"token": TOKEN}),
    {
        "token.raise_completed": {"token": {**TOKEN_EXAMPLE, "completed_raise": True}},
        "token.cancelled": {"token": {**TOKEN_EXAMPLE, "cancelled": True}},
        "token.halted": {"token": TOKEN_EXAMPLE},
        "token.resumed": {"token": TOKEN_EXAMPLE},
        "token.quote_changed": {"token": TOKEN_EXAMPLE},
    },
)


def add_token_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the token events to the schema."""
    for data in (_TERMS, _TOKEN):
        add_webhooks(result, data, EVENT_TYPES, "Tokens")
    return result
