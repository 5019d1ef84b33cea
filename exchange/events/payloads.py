"""What events and webhook endpoints look like on the wire, declared once."""

from __future__ import annotations

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

# --- Events and webhooks: read seldom, so these are made when read, not stored with the row -------

_WHOLE = {"type": "integer", "minimum": 0}


EVENT = Document(
    name="Event",
    table="exchange_event",
    fields=(
        identifier("id", "{r}.id", "Event id: the `webhook-id` of its deliveries"),
        text("type", "{r}.type", "What happened", enum=list(settings.EVENT_TYPES)),
        text("status", "{r}.status", "How far telling has come", enum=list(EventStatus.values)),
        identifier("subject_id", "{r}.subject_id", "Id of the record it is about"),
        WireField(
            "attempt_count",
            "{r}.attempts",
            {**_WHOLE, "description": "Tries since it was last queued for sending"},
        ),
        timestamp(
            "next_attempt_at",
            "{r}.next_attempt_at",
            "When it is tried next; while it is being sent, the time by which that is settled",
            nullable=True,
        ),
        timestamp("created_at", "{r}.created_at", "When it was made"),
        timestamp("delivered_at", "{r}.delivered_at", "When it was taken", nullable=True),
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
        text("url", "{r}.url", "Where it was sent"),
        timestamp("attempted_at", "{r}.attempted_at", "When it was sent"),
        WireField(
            "milliseconds", "{r}.milliseconds", {**_WHOLE, "description": "How long it took"}
        ),
        WireField(
            "status_code",
            "{r}.status_code",
            {"type": ["integer", "null"], "description": "HTTP status; null when no answer came"},
        ),
        text("error", "nullif({r}.error, '')", "Why it failed, when it did", nullable=True),
        text("answer", "{r}.answer", "The first 1 KiB of the answer"),
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
                "description": "Every try there ever was, the first one first",
            },
        ),
        WireField(
            "body",
            "{r}.body::json",
            {
                "type": "object",
                "description": "What is posted: these very bytes, in this order",
                "properties": {
                    "id": {"type": "string", "format": "uuid", "description": "Id of the event"},
                    "type": {"type": "string", "description": "What happened"},
                    "timestamp": {
                        "type": "string",
                        "format": "date-time",
                        "description": "When it happened",
                    },
                    "data": {
                        "type": "object",
                        "description": "By type, as `webhooks` of this document shows it",
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
        text("url", "{r}.url", "Where events are posted"),
        boolean("enabled", "{r}.enabled", "Whether events are posted"),
        text(
            "disabled_reason",
            "nullif({r}.disabled_reason, '')",
            "Why events are not posted, when we stopped it",
            nullable=True,
        ),
        timestamp(
            "previous_secret_until",
            "CASE WHEN {r}.previous_secret_until > now() THEN {r}.previous_secret_until END",
            "Until when the secret before the last rotation signs as well",
            nullable=True,
        ),
        timestamp("created_at", "{r}.created_at", "When it was made"),
        timestamp("updated_at", "{r}.updated_at", "When it last changed"),
    ),
    example=events_examples.WEBHOOK,
)


_SECRET = text(
    "secret", "NULL", "The signing secret (`whsec_…`): shown here and never again", minLength=38
)


WEBHOOK_WITH_SECRET = Document(
    name="WebhookWithSecret",
    table=WEBHOOK.table,
    fields=(*WEBHOOK.fields, _SECRET),
    example={**events_examples.WEBHOOK, "secret": events_examples.SECRET},
)


# Changing an endpoint answers without the secret, creating one with it.
WEBHOOK_SET = Document(
    name="WebhookSet",
    table=WEBHOOK.table,
    fields=WEBHOOK.fields,
    variants=(Variant("false", WEBHOOK_WITH_SECRET.fields),),
    example=events_examples.WEBHOOK,
)
