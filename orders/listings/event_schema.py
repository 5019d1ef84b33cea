"""OpenAPI schema of the events of listed tokens."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from exchange.tokens.examples import TERMS as TERMS_EXAMPLE
from exchange.tokens.payloads import TERMS
from orders.listings.event_types import EVENT_TYPES

_TERMS = NamedSchema(
    "TokenTermsEventData",
    closed_object({"terms": TERMS}),
    {"token.terms_changed": {"terms": {**TERMS_EXAMPLE, "version": 2}}},
)


def add_token_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the token events to the schema."""
    add_webhooks(result, _TERMS, EVENT_TYPES, "Tokens")
    return result
