"""What participants look like on the wire, declared once (see `exchange.core.documents`)."""

from __future__ import annotations

from exchange.core import examples
from exchange.core.documents import (
    Document,
    Variant,
    WireField,
    boolean,
    identifier,
    moment,
    number,
    text,
)
from exchange.models.events import EventStatus
from exchange.models.tokens import (
    DealAccess,
    InvestmentCategory,
    InvestmentType,
    PayoutFrequency,
    TokenType,
)

MEMBER = Document(
    name="Member",
    table="exchange_member",
    fields=(
        identifier("_id", "{r}.id", "Member id: the `user_id` of other endpoints"),
        text("name", "{r}.name", "Full name"),
        text("email", "{r}.email", "Email address, unique within the organisation"),
        text("external_id", "nullif({r}.external_id, '')", "Your own id", nullable=True),
        moment("createdAt", "{r}.created_at", "When it was made"),
        moment("updatedAt", "{r}.updated_at", "When it last changed"),
    ),
    example=examples.MEMBER,
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
        moment("created_at", "{r}.created_at", "When it was made"),
        moment("delivered_at", "{r}.delivered_at", "When it was taken", nullable=True),
    ),
    example=examples.EVENT,
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
        moment("attempted_at", "{r}.attempted_at", "When it was sent"),
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
    example=examples.DELIVERY_ATTEMPT,
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
        **examples.EVENT,
        "attempts": [examples.DELIVERY_ATTEMPT],
        "body": {
            "id": examples.EVENT_ID,
            "type": examples.EVENT["type"],
            "timestamp": examples.EVENT["created_at"],
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
        moment(
            "previous_secret_until",
            "CASE WHEN {r}.previous_secret_until > now() THEN {r}.previous_secret_until END",
            "Until when the secret before the last rotation signs as well",
            nullable=True,
        ),
        moment("created_at", "{r}.created_at", "When it was made"),
        moment("updated_at", "{r}.updated_at", "When it last changed"),
    ),
    example=examples.WEBHOOK,
)

_SECRET = text(
    "secret", "NULL", "The signing secret (`whsec_…`): shown here and never again", minLength=38
)
WEBHOOK_WITH_SECRET = Document(
    name="WebhookWithSecret",
    table=WEBHOOK.table,
    fields=(*WEBHOOK.fields, _SECRET),
    example={**examples.WEBHOOK, "secret": examples.SECRET},
)
# Changing an endpoint answers without the secret, creating one with it.
WEBHOOK_SET = Document(
    name="WebhookSet",
    table=WEBHOOK.table,
    fields=WEBHOOK.fields,
    variants=(Variant("false", WEBHOOK_WITH_SECRET.fields),),
    example=examples.WEBHOOK,
)

# --- Tokens ---------------------------------------------------------------------------------------

_MEANINGS = {
    "buy": "For those who buy",
    "sell": "For those who sell",
    "exchange": "Units of the token's currency for one USD",
}


def _sides(name: str, *sides: str, description: str) -> WireField:
    """An object of numbers kept in the columns `<name>_<side>`."""
    parts = " || ',' || ".join(
        f"""'"{side}":' || trim_scale({{r}}.{name}_{side})""" for side in sides
    )
    schema = {
        "type": "object",
        "description": description,
        "properties": {side: {"type": "number", "description": _MEANINGS[side]} for side in sides},
        "required": list(sides),
    }
    return WireField(name, f"'{{' || {parts} || '}}'", schema)


_QUOTES = ("buy", "sell", "exchange")
_SIDES = ("buy", "sell")

# What kind of investment a token is, wherever one is shown.
INVESTMENT_KIND = (
    text(
        "investment_type",
        "{r}.investment_type",
        "Kind of instrument",
        enum=list(InvestmentType.values),
    ),
    text(
        "investment_category",
        "{r}.investment_category",
        "What the money is put into",
        enum=list(InvestmentCategory.values),
    ),
)

# In the order of the interface's table.
TOKEN = Document(
    name="Token",
    table="exchange_token",
    fields=(
        identifier("_id", "{r}.id", "Token id"),
        text("name", "{r}.name", "Name of the investment"),
        text("symbol", "{r}.symbol", "Short name, unique"),
        WireField(
            "reference", "{r}.reference", {"type": "integer", "description": "A running number"}
        ),
        text("image", "{r}.image", "URL"),
        text("currency", "{r}.currency_id", "What prices and amounts are in"),
        identifier("creator", "{r}.creator_id", "User id of the creator", nullable=True),
        identifier("asset", "{r}.id", "What the ledger counts its units as"),
        text("request", "{r}.listing_reference", "The listing request it came from"),
        _sides(
            "price",
            *_QUOTES,
            description="Quotes for one unit; `exchange` is units of the currency for one USD",
        ),
        _sides("prev_price", *_QUOTES, description="The quotes before these"),
        _sides("min", *_SIDES, description="Lowest price of an order of a side; 0: no bound"),
        _sides("max", *_SIDES, description="Highest price of an order of a side; 0: no bound"),
        _sides("vol", *_SIDES, description="Units bought, and units sold by holders"),
        _sides(
            "min_trade", *_SIDES, description="Smallest value of an order of a side; 0: no bound"
        ),
        _sides(
            "max_trade", *_SIDES, description="Largest value of an order of a side; 0: no bound"
        ),
        text(
            "type",
            "{r}.type",
            "Whether the offering is a private or a public one",
            enum=list(TokenType.values),
        ),
        text(
            "deal_access",
            "{r}.deal_access",
            "`Private`: only its issuer and organisations granted access see it",
            enum=list(DealAccess.values),
        ),
        *INVESTMENT_KIND,
        text(
            "payout_frequency",
            "{r}.payout_frequency",
            "Empty: no income is paid",
            enum=list(PayoutFrequency.values),
        ),
        number("raise_amount", "{r}.raise_amount", "What the raise is to bring"),
        number("buy_fee", "{r}.buy_fee", "Percent of the value, paid by the buyer"),
        number("sell_fee", "{r}.sell_fee", "Percent of the value, paid by the seller"),
        number("carry", "{r}.carry", "Share of the profit that the manager takes, in percent"),
        number("management_fee", "{r}.management_fee", "Percent a year"),
        number("valuation", "{r}.valuation", "Value of the whole before the raise"),
        number("discount", "{r}.discount", "Percent"),
        number("interest", "{r}.interest", "Percent"),
        number("dividend", "{r}.dividend", "Percent"),
        WireField("tenor", "{r}.tenor", {"type": "integer", "description": "Days"}),
        boolean("secondaries", "{r}.secondaries", "Whether holders may trade it"),
        boolean("completed_raise", "{r}.completed_raise", "Whether the raise is complete"),
        number("supply", "{r}.supply", "Units that investors hold"),
        number("total_supply", "{r}.total_supply", "All units there are"),
        number("total_raised", "{r}.total_raised", "What the raise has brought so far"),
        boolean("exited", "{r}.exited", "Whether investors have exited"),
        boolean("cancelled", "{r}.cancelled", "Whether the raise was cancelled"),
        boolean("esop_token", "{r}.esop_token", "Whether it is of an employees' share plan"),
        number(
            "post_raise_valuation",
            "{r}.post_raise_valuation",
            "Value of the whole after the raise",
        ),
        text(
            "milestone",
            "CASE WHEN {r}.raise_amount > 0 THEN trim_scale(round({r}.total_raised * 100"
            " / {r}.raise_amount, 2))::text ELSE '0' END",
            "Percent of the raise that has been raised",
        ),
        number("total_allocated", "{r}.total_allocated", "Units allocated by the raise"),
        moment("createdAt", "{r}.created_at", "When it was made"),
        moment("updatedAt", "{r}.updated_at", "When it last changed"),
    ),
    example=examples.TOKEN,
)
