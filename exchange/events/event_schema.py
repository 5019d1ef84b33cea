"""The `webhooks` of the OpenAPI document: the body posted for each event type.

Each subject describes its events in its own `event_schema`, in a drf-spectacular hook
(`SPECTACULAR_SETTINGS`): that of `webhooks_hook`, or one that calls `add_webhooks`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from exchange.api.operations import NamedSchema, closed_object, text_schema
from exchange.api.schema import with_references
from exchange.core.documents import WireSchema
from exchange.core.examples import EVENT_ID
from exchange.events.event_types import DISABLED_EVENT_TYPE, EVENT_TYPES, TEST_EVENT_TYPE
from exchange.events.examples import WEBHOOK_ENDPOINT as WEBHOOK_ENDPOINT_EXAMPLE
from exchange.events.payloads import WEBHOOK_ENDPOINT

USER: dict[str, Any] = {
    "type": ["object", "null"],
    "properties": {
        "_id": text_schema("Member ID", format="uuid"),
        "name": text_schema("Full name"),
        "email": text_schema("Email address"),
    },
    "required": ["_id", "name", "email"],
}
# An actor as `sql/public_actor.sql` writes it.
ACTOR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "role": text_schema("`API key`, or a role such as `finance approver`"),
        "id": {
            "type": ["string", "null"],
            "description": "Client ID of the API key, or a permanent opaque ID of the person",
        },
        "name": text_schema("Name of the API key"),
    },
    "required": ["role", "id"],
}
STAFF_EXAMPLE = {"role": "finance approver", "id": "staff_3f0c9d6c1b7a4e0f9a52d1c8e7b64a10"}
_KEY_EXAMPLE = {
    "role": "API key",
    "id": "Zq3uX0eK7b4nT1vY9sW6rP2mL8cJ5hDg",
    "name": "Back office integration",
}
_HEADERS = {
    "webhook-id": "Event ID: the same for every delivery attempt",
    "webhook-timestamp": "Time of this attempt, in seconds since 1970",
    "webhook-signature": "`v1,` and the Base64 HMAC-SHA256 of `id.timestamp.body` with your "
    "secret; two of them, separated by a space, during a secret rotation",
}

_TEST = NamedSchema(
    "TestEventData",
    closed_object(
        {
            "message": text_schema("A note that this is a test"),
            "requested_by": {**ACTOR, "description": "The actor that requested it"},
        }
    ),
    {TEST_EVENT_TYPE: {"message": "This is a test", "requested_by": _KEY_EXAMPLE}},
)


_DISABLED = NamedSchema(
    "EndpointEventData",
    closed_object({"endpoint": WEBHOOK_ENDPOINT}),
    {
        DISABLED_EVENT_TYPE: {
            "endpoint": {
                **WEBHOOK_ENDPOINT_EXAMPLE,
                "enabled": False,
                "disabled_reason": "No event was delivered for five days",
                "first_failed_at": "2025-06-29T10:15:02.338Z",
                "failed_attempts": 12,
            }
        }
    },
)

_KEY = NamedSchema(
    "ApiKeyEventData",
    closed_object(
        {
            "api_key": closed_object(
                description="The API key",
                properties={
                    "client_id": text_schema("Client ID"),
                    "name": text_schema("Name of the API key"),
                    "expires_at": text_schema("When it stops to work", format="date-time"),
                },
            )
        }
    ),
    {
        "api_key.expiring": {
            "api_key": {
                "client_id": _KEY_EXAMPLE["id"],
                "name": _KEY_EXAMPLE["name"],
                "expires_at": "2025-07-18T00:00:00.000Z",
            }
        }
    },
)


def add_webhooks(
    result: dict[str, Any], data: NamedSchema, when: Mapping[str, str], tag: str
) -> None:
    """Add one webhook to `result` for each event type in the example of `data`.

    They share the component `data`. `when` describes, by type, when the event happens.
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


def webhooks_hook(when: Mapping[str, str], tag: str, *data: NamedSchema) -> Callable[..., Any]:
    """Return the hook of drf-spectacular that adds the webhooks of `data` to the document."""

    def add(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
        for each in data:
            add_webhooks(result, each, when, tag)
        return result

    return add


# The events about API keys and webhook endpoints.
add_endpoint_events = webhooks_hook(EVENT_TYPES, "Webhook", _KEY, _TEST, _DISABLED)


def _operation(
    event_type: str, when: str, component: str, example: Any, tag: str
) -> dict[str, Any]:
    body = closed_object(
        {
            "id": text_schema("Event ID", format="uuid"),
            "type": text_schema("Event type", const=event_type),
            "timestamp": text_schema("Time of the event", format="date-time"),
            "data": {"$ref": f"#/components/schemas/{component}"},
        }
    )
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
        "description": f"{when}. Posted to your webhook endpoint at least once, in no guaranteed "
        "order; signed as specified by Standard Webhooks.",
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
            "2XX": {"description": "Delivered. The response body is ignored."},
            "410": {"description": "Gone: the endpoint is disabled."},
        },
    }
