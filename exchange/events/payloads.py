"""The wire documents of events and webhook endpoints."""

from django.conf import settings

from exchange.core import examples as core_examples
from exchange.core.documents import (
    Document,
    Variant,
    WireField,
    boolean,
    identifier,
    text,
    timestamp,
)
from exchange.events import examples as events_examples
from exchange.events.models import EventStatus

# Rarely read, so these documents are built on read rather than stored with the row.

_WHOLE = {"type": "integer", "minimum": 0}


EVENT = Document(
    name="Event",
    table="exchange_event",
    fields=(
        identifier("id", "{r}.id", "Event ID: the `webhook-id` of its deliveries"),
        text("type", "{r}.type", "Event type", enum=list(settings.EVENT_TYPES)),
        text("status", "{r}.status", "Delivery status", enum=list(EventStatus.values)),
        identifier("subject_id", "{r}.subject_id", "ID of the record it is about"),
        WireField(
            "attempt_count",
            "{r}.attempts",
            {**_WHOLE, "description": "Attempts since it was last queued for delivery"},
        ),
        timestamp(
            "next_attempt_at",
            "{r}.next_attempt_at",
            "Time of the next attempt; while one is running, the time by which it is decided",
            nullable=True,
        ),
        timestamp("created_at", "{r}.created_at", "Time of creation"),
        timestamp("delivered_at", "{r}.delivered_at", "Time of delivery", nullable=True),
    ),
    example=events_examples.EVENT,
)


DELIVERY_ATTEMPT = Document(
    name="DeliveryAttempt",
    table="exchange_deliveryattempt",
    fields=(
        WireField(
            "number",
            "{r}.number",
            {"type": "integer", "minimum": 1, "description": "Counted from 1"},
        ),
        text("url", "{r}.url", "URL it was posted to"),
        timestamp("attempted_at", "{r}.attempted_at", "Time of the attempt"),
        WireField("milliseconds", "{r}.milliseconds", {**_WHOLE, "description": "Duration"}),
        WireField(
            "status_code",
            "{r}.status_code",
            {"type": ["integer", "null"], "description": "HTTP status; null without a response"},
        ),
        text("error", "nullif({r}.error, '')", "Reason of a failure", nullable=True),
        text("answer", "{r}.answer", "First 1 KiB of the response"),
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
                        "description": "Depends on the type: see `webhooks` of this document",
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
        text("url", "{r}.url", "URL that events are posted to"),
        boolean("enabled", "{r}.enabled", "Whether events are posted"),
        text(
            "disabled_reason",
            "nullif({r}.disabled_reason, '')",
            "Why events are not posted",
            nullable=True,
        ),
        timestamp(
            "previous_secret_until",
            "CASE WHEN {r}.previous_secret_until > now() THEN {r}.previous_secret_until END",
            "Time until which the previous secret also signs",
            nullable=True,
        ),
        timestamp("created_at", "{r}.created_at", "Time of creation"),
        timestamp("updated_at", "{r}.updated_at", "Time of the last change"),
    ),
    example=events_examples.WEBHOOK,
)


_SECRET = text("secret", "NULL", "The signing secret (`whsec_…`), shown once", minLength=38)


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
