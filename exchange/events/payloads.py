"""The wire documents of events and webhook endpoints."""

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

EVENT = Document(
    name="Event",
    table="exchange_event",
    fields=(
        identifier("id", "Event ID: the `webhook-id` of its deliveries"),
        text("type", "Event type", enum=list(settings.EVENT_TYPES)),
        text("status", "Delivery status", enum=EventStatus.values),
        identifier("subject_id", "ID of the record it is about"),
        integer(
            "attempt_count",
            "Attempts since it was last queued for delivery",
            "{r}.attempts",
            minimum=0,
        ),
        timestamp(
            "next_attempt_at",
            "Time of the next attempt; while one is running, the time by which it is decided",
            nullable=True,
        ),
        timestamp("created_at", "Time of creation"),
        timestamp("delivered_at", "Time of delivery", nullable=True),
    ),
    example=events_examples.EVENT,
)


DELIVERY_ATTEMPT = Document(
    name="DeliveryAttempt",
    table="exchange_deliveryattempt",
    fields=(
        integer("number", "Counted from 1", minimum=1),
        text("url", "URL it was posted to"),
        timestamp("attempted_at", "Time of the attempt"),
        integer("milliseconds", "Duration", minimum=0),
        integer("status_code", "HTTP status; null without a response", nullable=True),
        text("error", "Reason of a failure", "nullif({r}.error, '')", nullable=True),
        text("answer", "First 1 KiB of the response"),
    ),
    example=events_examples.DELIVERY_ATTEMPT,
)


_ATTEMPTS = (
    f"(SELECT '[' || coalesce(string_agg({DELIVERY_ATTEMPT.expression('a')}, ','"
    " ORDER BY a.number), '') || ']'"
    " FROM exchange_deliveryattempt a WHERE a.event_id = {r}.id)::json"
)


EVENT_DETAIL = Document(
    name="EventDetail",
    table="exchange_event",
    fields=(
        *EVENT.fields,
        WireField(
            "attempts",
            _ATTEMPTS,
            {
                "type": "array",
                "items": DELIVERY_ATTEMPT,
                "description": "All attempts, oldest first",
            },
        ),
        WireField(
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
        ),
    ),
    example={
        **events_examples.EVENT,
        "attempts": [events_examples.DELIVERY_ATTEMPT],
        "body": {
            "id": core_examples.EVENT_ID,
            "type": events_examples.EVENT["type"],
            "timestamp": events_examples.EVENT["created_at"],
            "data": {},
        },
    },
)


WEBHOOK = Document(
    name="Webhook",
    table="exchange_webhookendpoint",
    fields=(
        text("url", "URL that events are posted to"),
        boolean("enabled", "Whether events are posted"),
        text(
            "disabled_reason",
            "Why events are not posted",
            "nullif({r}.disabled_reason, '')",
            nullable=True,
        ),
        timestamp(
            "previous_secret_until",
            "Time until which the previous secret also signs",
            "CASE WHEN {r}.previous_secret_until > now() THEN {r}.previous_secret_until END",
            nullable=True,
        ),
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
