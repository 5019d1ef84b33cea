"""The wire documents of events and webhook endpoints."""

from dataclasses import replace

from django.conf import settings

from exchange.core import examples as core_examples
from exchange.core.documents import (
    Document,
    Variant,
    WireField,
    boolean,
    identifier,
    integer,
    text,
    timestamp,
)
from exchange.events import examples as events_examples
from exchange.events.models import EventStatus

# Rarely read, so these documents are built on read rather than stored with the row.

_BODY = WireField(
    "body",
    "{r}.body::json",
    {
        "type": "object",
        "description": "The body posted, byte for byte",
        "properties": {
            "id": {"type": "string", "format": "uuid", "description": "Event ID"},
            "type": {"type": "string", "description": "Event type"},
            "timestamp": {
                "type": "string",
                "format": "date-time",
                "description": "Time of the event",
            },
            "data": {
                "type": "object",
                "description": "Depends on the type: see the OpenAPI document of webhooks",
                "additionalProperties": True,
            },
        },
        "required": ["id", "type", "timestamp", "data"],
    },
)


# The first pending delivery is that of the oldest endpoint.
_NEXT_ATTEMPT = (
    "CASE WHEN {r}.status = 'Pending' THEN (SELECT d.next_attempt_at FROM exchange_eventdelivery d"
    " WHERE d.event_id = {r}.id AND d.status = 'Pending' ORDER BY d.endpoint_id LIMIT 1) END"
)

_ATTEMPTS = integer(
    "attempt_count", "Attempts since it was last queued for delivery", "{r}.attempts", minimum=0
)
_EVENT_FIELDS = (
    identifier("id", "Event ID: the `webhook-id` of its deliveries"),
    text("type", "Event type", enum=list(settings.EVENT_TYPES)),
    text(
        "status",
        "Delivery status: that of the oldest endpoint that wants it",
        enum=EventStatus.values,
    ),
    identifier("subject_id", "ID of the record it is about"),
    _ATTEMPTS,
    timestamp(
        "next_attempt_at",
        "Time of the next attempt; while one is running, the time by which it is decided",
        _NEXT_ATTEMPT,
        nullable=True,
    ),
    timestamp("created_at", "Time of creation"),
    timestamp("delivered_at", "Time of delivery", nullable=True),
)
EVENT, EVENT_WITH_BODY = (
    Document(
        name="Event",
        table="exchange_event",
        fields=(*_EVENT_FIELDS, replace(_BODY, sql=sql, optional=True)),
        example=events_examples.EVENT,
    )
    # The body is in lists on request only.
    for sql in ("NULL::json", _BODY.sql)
)


EVENT_DELIVERY = Document(
    name="EventDelivery",
    table="exchange_eventdelivery",
    fields=(
        identifier("endpoint_id", "ID of the webhook endpoint"),
        text("status", "Delivery status", enum=EventStatus.values),
        _ATTEMPTS,
        timestamp("last_attempt_at", "Time of the last attempt", nullable=True),
        timestamp("next_attempt_at", "Time of the next attempt", nullable=True),
        timestamp("delivered_at", "Time of delivery", nullable=True),
    ),
    example=events_examples.EVENT_DELIVERY,
)


DELIVERY_ATTEMPT = Document(
    name="DeliveryAttempt",
    table="exchange_deliveryattempt",
    fields=(
        identifier(
            "endpoint_id",
            "ID of the webhook endpoint; null before there could be several",
            nullable=True,
        ),
        integer("number", "Counted from 1 for each endpoint", minimum=1),
        text("url", "URL it was posted to"),
        timestamp("attempted_at", "Time of the attempt"),
        integer("milliseconds", "Duration", minimum=0),
        integer("status_code", "HTTP status; null without a response", nullable=True),
        text("error", "Reason of a failure", "nullif({r}.error, '')", nullable=True),
        text("answer", "First 1 KiB of the response"),
    ),
    example=events_examples.DELIVERY_ATTEMPT,
)


def _array(document: Document, order: str) -> str:
    """Return the SQL of the array of an event's records, which `document` describes."""
    return (
        f"(SELECT '[' || coalesce(string_agg({document.expression('a')}, ','"
        f" ORDER BY {order}), '') || ']'"
        f" FROM {document.table} a WHERE a.event_id = {{r}}.id)::json"
    )


EVENT_DETAIL = Document(
    name="EventDetail",
    table="exchange_event",
    fields=(
        *_EVENT_FIELDS,
        WireField(
            "deliveries",
            _array(EVENT_DELIVERY, "a.endpoint_id"),
            {
                "type": "array",
                "items": EVENT_DELIVERY,
                "description": "To each endpoint that wants it, the oldest endpoint first",
            },
        ),
        WireField(
            "attempts",
            _array(DELIVERY_ATTEMPT, "a.attempted_at, a.id"),
            {
                "type": "array",
                "items": DELIVERY_ATTEMPT,
                "description": "All attempts, oldest first",
            },
        ),
        _BODY,
    ),
    example={
        **events_examples.EVENT,
        "deliveries": [events_examples.EVENT_DELIVERY],
        "attempts": [events_examples.DELIVERY_ATTEMPT],
        "body": {
            "id": core_examples.EVENT_ID,
            "type": events_examples.EVENT["type"],
            "timestamp": events_examples.EVENT["created_at"],
            "data": {},
        },
    },
)


_URL = text("url", "URL that events are posted to")
_ENABLED = boolean("enabled", "Whether events are posted")
_DISABLED_REASON = text(
    "disabled_reason",
    "Why events are not posted",
    "nullif({r}.disabled_reason, '')",
    nullable=True,
)
_PREVIOUS_SECRET_UNTIL = timestamp(
    "previous_secret_until",
    "Time until which the previous secret also signs",
    "CASE WHEN {r}.previous_secret_until > now() THEN {r}.previous_secret_until END",
    nullable=True,
)

# The oldest endpoint, as it was when an organisation had one.
WEBHOOK = Document(
    name="Webhook",
    table="exchange_webhookendpoint",
    fields=(
        _URL,
        _ENABLED,
        _DISABLED_REASON,
        _PREVIOUS_SECRET_UNTIL,
        timestamp("created_at", "Time of creation"),
        timestamp("updated_at", "Time of the last change"),
    ),
    example=events_examples.WEBHOOK,
)


_SECRET = text("secret", "The signing secret (`whsec_…`), shown once", "NULL", minLength=38)


WEBHOOK_WITH_SECRET = Document(
    name="WebhookWithSecret",
    table=WEBHOOK.table,
    fields=(*WEBHOOK.fields, _SECRET),
    example={**events_examples.WEBHOOK, "secret": events_examples.SECRET},
)


# The response to a change has no secret, the response to a creation has it.

WEBHOOK_SET = Document(
    name="WebhookSet",
    table=WEBHOOK.table,
    fields=WEBHOOK.fields,
    variants=(Variant("false", WEBHOOK_WITH_SECRET.fields),),
    example=events_examples.WEBHOOK,
)


WEBHOOK_ENDPOINT = Document(
    name="WebhookEndpoint",
    table=WEBHOOK.table,
    fields=(
        identifier("_id", "Endpoint ID", "{r}.id"),
        _URL,
        WireField(
            "events",
            "to_json({r}.events)",
            {
                "type": "array",
                "items": {"type": "string"},
                "description": "Event types that it wants; `*` for all",
            },
        ),
        text("description", "Your own description"),
        _ENABLED,
        _DISABLED_REASON,
        timestamp(
            "first_failed_at",
            "First failed attempt since the last delivery",
            "{r}.failing_since",
            nullable=True,
        ),
        integer("failed_attempts", "Failed attempts since then", minimum=0),
        replace(_PREVIOUS_SECRET_UNTIL, name="previous_secret_expires_at"),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
        timestamp("updatedAt", "Time of the last change", "{r}.updated_at"),
    ),
    example=events_examples.WEBHOOK_ENDPOINT,
)


WEBHOOK_ENDPOINT_WITH_SECRET = Document(
    name="WebhookEndpointWithSecret",
    table=WEBHOOK.table,
    fields=(*WEBHOOK_ENDPOINT.fields, _SECRET),
    example={**events_examples.WEBHOOK_ENDPOINT, "secret": events_examples.SECRET},
)
