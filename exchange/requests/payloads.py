"""Wire format of the request log, declared once; rendered on read."""

from exchange.core.documents import (
    Document,
    WireField,
    identifier,
    integer,
    text,
    timestamp,
)
from exchange.requests import examples

LOGGED_REQUEST = Document(
    name="LoggedRequest",
    table="exchange_loggedrequest",
    fields=(
        identifier("_id", "ID of the entry", "{r}.id"),
        text("method", "HTTP method"),
        text("path", "Path with the IDs of records; a text of your own in it is not kept"),
        integer("status", "HTTP status", "{r}.status_code"),
        text("code", "`X-Error-Code` of a refusal", "nullif({r}.code, '')", nullable=True),
        WireField(
            "fields",
            "array_to_json({r}.fields)",
            {
                "type": "array",
                "description": "Fields of the body or query that were refused; never their values",
                "items": {"type": "string"},
            },
        ),
        text("request_id", "`X-Request-ID` of the response"),
        identifier("key", "ID of the API key", "{r}.key_id"),
        integer("milliseconds", "Time that the response took"),
        timestamp("createdAt", "When the request arrived", "{r}.created_at"),
    ),
    example=examples.LOGGED_REQUEST,
)

READ_COUNT = Document(
    name="ReadCount",
    table="exchange_readcount",
    fields=(
        identifier("key", "ID of the API key", "{r}.key_id"),
        text("path", "Path, with the names of its IDs"),
        integer("count", "Successful reads"),
        timestamp("hour_at", "Start of the hour"),
    ),
    example=examples.READ_COUNT,
)
