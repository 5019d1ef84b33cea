"""What participants look like on the wire, declared once (see `exchange.documents`)."""

from __future__ import annotations

from exchange.documents import (
    Document,
    Variant,
    WireField,
    boolean,
    identifier,
    moment,
    text,
)
from exchange.models.events import EventStatus

MEMBER = Document(
    name="Member",
    table="exchange_member",
    fields=(
        identifier("_id", "{r}.id", "Member id: the `user_id` of other endpoints"),
        text("name", "{r}.name", "Full name"),
        text("email", "{r}.email", "Email address, unique within the organisation"),
        text("external_id", "nullif({r}.external_id, '')", "Your own id", nullable=True),
        moment("createdAt", "{r}.created_at"),
        moment("updatedAt", "{r}.updated_at"),
    ),
)

# --- Events and webhooks: read seldom, so these are made when read, not stored with the row -------

EVENT_TYPES = (
    "withdrawal.created",
    "withdrawal.approved",
    "withdrawal.rejected",
    "withdrawal.cancelled",
    "withdrawal.processing",
    "withdrawal.completed",
    "withdrawal.failed",
    "withdrawal.reversed",
    "order.created",
    "order.cancelled",
    "order.fulfilled",
    "trade.created",
    "loan.created",
    "loan.repaid",
    "loan.overdue",
    "loan.defaulted",
    "loan.liquidated",
    "loan.shortfall",
    "loan_configuration.approved",
    "loan_configuration.rejected",
    "webhook.test",
)

_WHOLE = {"type": "integer", "minimum": 0}

EVENT = Document(
    name="Event",
    table="exchange_event",
    fields=(
        identifier("id", "{r}.id", "Event id: the `webhook-id` of its deliveries"),
        text("type", "{r}.type", "What happened", enum=list(EVENT_TYPES)),
        text("status", "{r}.status", "How far telling has come", enum=list(EventStatus.values)),
        identifier("subject_id", "{r}.subject_id", "Id of the record it is about"),
        WireField(
            "attempt_count",
            "{r}.attempts",
            {**_WHOLE, "description": "Tries since it was last queued for sending"},
        ),
        moment(
            "next_attempt_at",
            "{r}.next_attempt_at",
            "When it is tried next; while it is being sent, the time by which that is settled",
            nullable=True,
        ),
        moment("created_at", "{r}.created_at"),
        moment("delivered_at", "{r}.delivered_at", "When it was taken", nullable=True),
    ),
)

DELIVERY_ATTEMPT = Document(
    name="DeliveryAttempt",
    table="exchange_deliveryattempt",
    fields=(
        WireField("number", "{r}.number", {"type": "integer", "minimum": 1}),
        text("url", "{r}.url", "Where it was sent"),
        moment("attempted_at", "{r}.attempted_at"),
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
                "items": DELIVERY_ATTEMPT.schema(),
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
                    "id": {"type": "string", "format": "uuid"},
                    "type": {"type": "string"},
                    "timestamp": {"type": "string", "format": "date-time"},
                    "data": {"type": "object"},
                },
                "required": ["id", "type", "timestamp", "data"],
            },
        ),
    ),
)

WEBHOOK = Document(
    name="Webhook",
    table="exchange_webhookendpoint",
    fields=(
        text("url", "{r}.url", "Where events are posted"),
        boolean("enabled", "{r}.enabled", "Whether events are posted"),
        text("disabled_reason", "nullif({r}.disabled_reason, '')", nullable=True),
        moment(
            "previous_secret_until",
            "CASE WHEN {r}.previous_secret_until > now() THEN {r}.previous_secret_until END",
            "Until when the secret before the last rotation signs as well",
            nullable=True,
        ),
        moment("created_at", "{r}.created_at"),
        moment("updated_at", "{r}.updated_at"),
    ),
)

_SECRET = text(
    "secret", "NULL", "The signing secret (`whsec_…`): shown here and never again", minLength=38
)
WEBHOOK_WITH_SECRET = Document(
    name="WebhookWithSecret", table=WEBHOOK.table, fields=(*WEBHOOK.fields, _SECRET)
)
# Changing an endpoint answers without the secret, creating one with it.
WEBHOOK_SET = Document(
    name="WebhookSet",
    table=WEBHOOK.table,
    fields=WEBHOOK.fields,
    variants=(Variant("false", WEBHOOK_WITH_SECRET.fields),),
)
