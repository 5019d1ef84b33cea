"""The `webhooks` of the OpenAPI document: the body that is posted for each type of event.

Each subject describes its own events in its `event_schema`, in a hook of drf-spectacular
(`SPECTACULAR_SETTINGS`) that calls `add_webhooks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from exchange.api.operations import NamedSchema
from exchange.api.schema import with_references
from exchange.core.documents import WireSchema
from exchange.core.examples import EVENT_ID
from exchange.events.event_types import EVENT_TYPES

USER: dict[str, Any] = {
    "type": ["object", "null"],
    "properties": {
        "_id": {"type": "string", "format": "uuid", "description": "Member id"},
        "name": {"type": "string", "description": "Full name"},
        "email": {"type": "string", "description": "Email address"},
    },
    "required": ["_id", "name", "email"],
}
_HEADERS = {
    "webhook-id": "Id of the event: the same for every attempt to deliver it",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970",
    "webhook-signature": "`v1,` and the Base64 HMAC-SHA256 of `id.timestamp.body` with your "
    "secret; two of them, separated by a space, while a secret is rotated",
}

_TEST = NamedSchema(
    "TestEventData",
    {
        "type": "object",
        "properties": {
            "message": {"type": "string", "description": "Says that this is a test"},
            "requested_by": {"type": "string", "description": "The API key that asked for it"},
        },
        "required": ["message", "requested_by"],
    },
    {"webhook.test": {"message": "This is a test", "requested_by": "Back office integration"}},
)


def add_webhooks(
    result: dict[str, Any], data: NamedSchema, when: Mapping[str, str], tag: str
) -> None:
    """Add to the document `result` one webhook for each type of event in the example of `data`.

    They share the component `data`. `when` says of each type when it happens.
    """
    schemas = result["components"]["schemas"]

    def refer(document: WireSchema) -> dict[str, Any]:
        if document.name not in schemas:
            schemas[document.name] = with_references(document.schema(), refer)
        return {"$ref": f"#/components/schemas/{document.name}"}

    schemas[data.name] = with_references(data.schema(), refer)
    webhooks = result.setdefault("webhooks", {})
    for event_type, example in data.example.items():
        post = _operation(event_type, when[event_type], data.name, example, tag)
        webhooks[event_type] = {"post": post}


def add_test_event(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Describe the event that `POST /v1/api/webhook/test` asks for."""
    add_webhooks(result, _TEST, EVENT_TYPES, "Webhook")
    return result


def _operation(
    event_type: str, when: str, component: str, example: Any, tag: str
) -> dict[str, Any]:
    body = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "format": "uuid", "description": "Id of the event"},
            "type": {"type": "string", "const": event_type, "description": "What happened"},
            "timestamp": {
                "type": "string",
                "format": "date-time",
                "description": "When it happened",
            },
            "data": {"$ref": f"#/components/schemas/{component}"},
        },
        "required": ["id", "type", "timestamp", "data"],
    }
    value = {
        "id": EVENT_ID,
        "type": event_type,
        "timestamp": "2025-07-04T10:15:02.338Z",
        "data": example,
    }
    resource, _, action = event_type.partition(".")
    return {
        "operationId": f"{resource}_{action}_event",
        "summary": when,
        "description": f"{when}. Posted to your webhook endpoint at least once, in no promised "
        "order; signed as Standard Webhooks says.",
        "tags": [tag],
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": text,
                "schema": {"type": "string"},
            }
            for name, text in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": body,
                    "examples": {"event": {"summary": when, "value": value}},
                }
            },
        },
        "responses": {
            "2XX": {"description": "Taken. The body of the answer is not looked at."},
            "410": {"description": "Gone: the endpoint is disabled."},
        },
    }
