"""Parts of the OpenAPI document that every operation shares: tags, headers, failures, parameters.

The words stand here once; `exchange.api.schema` puts them where they belong.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from exchange.core.examples import MEMBER_ID, TOKEN_ID, WITHDRAWAL_ID

# Tag: what it is about, and the resources of operation ids that it holds.
_TAGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Access": (
        "Access tokens by the OAuth 2.0 client credentials grant (RFC 6749 §4.4).",
        ("access_tokens",),
    ),
    "Members": ("The people your organisation acts for.", ("members",)),
    "Tokens": ("The catalogue of tokenized investments.", ("tokens",)),
    "Orders": ("Placing, reading and cancelling orders.", ("orders",)),
    "Markets": (
        "What everybody who sees a token sees of its market.",
        ("token_orders", "token_books", "token_trades"),
    ),
    "Investments": (
        "Units of tokens that your organisation and its members hold.",
        ("holdings", "member_holdings", "investments"),
    ),
    "Loans": ("Loans against units of tokens, from quote to repayment.", ("loans",)),
    "Loan configurations": ("The terms loans are made on.", ("loan_configurations",)),
    "Wallets": (
        "Balances and statements of your organisation's wallet and its members'.",
        ("wallets", "member_wallets", "transactions", "member_transactions"),
    ),
    "Withdrawals": ("Payouts to bank accounts.", ("withdrawals", "member_withdrawals")),
    "Banks": ("Banks that can be paid, and who holds an account.", ("banks", "bank_accounts")),
    "Webhook": ("Where your events are posted, and the secret that signs them.", ("webhooks",)),
    "Events": ("What happened to your records, and whether it was delivered.", ("events",)),
}
TAGS = [{"name": name, "description": text} for name, (text, _) in _TAGS.items()]
TAG_OF = {resource: name for name, (_, resources) in _TAGS.items() for resource in resources}


def _header(description: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    return {"description": description, "schema": {"type": kind, **more}}


def _whole_header(description: str) -> dict[str, Any]:
    return _header(description, "integer", minimum=0)


HEADERS = {
    "X-Request-ID": _header("Id of the request: yours when you sent one."),
    "X-Error-Code": _header("Stable name of the failure, for programs.", pattern="^[a-z_]+$"),
    "X-RateLimit-Limit": _whole_header("Requests a minute, when limits are on."),
    "X-RateLimit-Remaining": _whole_header("Requests left in this minute."),
    "X-RateLimit-Reset": _whole_header("Seconds until the next minute."),
    "Retry-After": _whole_header("Seconds after which to send the request again."),
    "WWW-Authenticate": _header("What is missing or wrong (RFC 6750 §3)."),
    "Idempotent-Replayed": _header("`true` on the first answer given again.", enum=["true"]),
}
RATE_LIMIT = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")

# Status: name of the component, description, messages by code, further headers.
FAILURES: dict[str, tuple[str, str, dict[str, str], tuple[str, ...]]] = {
    "400": (
        "InvalidRequest",
        "The request is not valid, or a rule says no.",
        {"invalid_request": "limit must be a whole number from 1"},
        (),
    ),
    "401": (
        "Unauthenticated",
        "No access token, or one that does not work (any more).",
        {
            "unauthenticated": "An access token is needed (Authorization: Bearer …)",
            "invalid_token": "The access token has expired",
        },
        ("WWW-Authenticate",),
    ),
    "403": (
        "Forbidden",
        "The token lacks the scope.",
        {"insufficient_scope": "This needs the scope wallets:withdraw"},
        ("WWW-Authenticate",),
    ),
    "404": ("NotFound", "No such record of yours.", {"user_not_found": "User not found"}, ()),
    "408": (
        "BodyTooSlow",
        "The body did not arrive within 10 seconds.",
        {"request_timeout": "The body did not arrive within 10 s"},
        (),
    ),
    "409": (
        "Conflict",
        "The state of the record does not allow this, or it exists already.",
        {"request_in_progress": "The first request with this Idempotency-Key is still running"},
        (),
    ),
    "413": (
        "BodyTooLarge",
        "The body is larger than 64 KiB.",
        {"body_too_large": "The body is larger than 64 KiB"},
        (),
    ),
    "415": (
        "NotJson",
        "The body is not JSON.",
        {"unsupported_media_type": "The body must be JSON (Content-Type: application/json)"},
        (),
    ),
    "422": (
        "IdempotencyKeyReused",
        "The idempotency key was used with another body.",
        {
            "idempotency_key_reused": "This Idempotency-Key was already used with another "
            "request body"
        },
        (),
    ),
    "429": (
        "TooManyRequests",
        "Too many requests; `Retry-After` says when to go on.",
        {"rate_limited": "Too many requests. Try again in 17 s"},
        ("Retry-After", *RATE_LIMIT),
    ),
    "500": (
        "InternalError",
        "A fault on our side.",
        {"internal_error": "Something went wrong on our side"},
        (),
    ),
    "502": (
        "ProviderFailed",
        "The payment provider did not answer.",
        {
            "provider_unavailable": "Could not fetch the bank list from the payment provider. "
            "Please try again later"
        },
        (),
    ),
    "503": (
        "NotReady",
        "Not ready; try again shortly.",
        {"not_ready": "The service is not ready. Please try again shortly"},
        ("Retry-After",),
    ),
}
FAILURE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "const": "failed", "description": "Always `failed`"},
        "message": {"type": "string", "description": "What is wrong, for people"},
    },
    "required": ["status", "message"],
    "additionalProperties": False,
}

# --- Parameters -----------------------------------------------------------------------------------

# Name: the record, an id, and how it is refused when there is no such record.
_PATH_IDS: dict[str, tuple[str, str, str]] = {
    "configuration_id": (
        "loan configuration",
        "0197d2b1-6a10-7d2e-8c3f-4b5a69788701",
        "loan_configuration_not_found",
    ),
    "event_id": ("event", "0197d36b-8e2a-7d04-b3c5-9f1e0d2c4b6a", "event_not_found"),
    "loan_id": ("loan", "0197d2c5-44e0-7b6a-9c21-7d8e9f0a1b23", "loan_not_found"),
    # The interface calls a member `User`.
    "member_id": ("member", MEMBER_ID, "user_not_found"),
    "order_id": ("order", "0197d2d8-90b3-7f5c-a1e4-2b3c4d5e6f70", "order_not_found"),
    "token_id": ("token", TOKEN_ID, "token_not_found"),
    "withdrawal_id": ("withdrawal", WITHDRAWAL_ID, "withdrawal_not_found"),
}
_IN_ANY_CASE = "; in any case"
# Enumerated values that the interface itself writes in another way when it asks for them.
_ALSO = {
    "Buy": "buy",
    "Sell": "sell",
    "SAFE": "safe",
    "Debt": "debt",
    "Fixed Interest": "fixed interest",
}


def parameter(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    """An optional query parameter."""
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
    }


IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[ -~]*[!-~][ -~]*$",
        "examples": ["withdrawal-2025-07-04-17"],
    },
    OpenApiParameter.HEADER,
    description="Your own key of this request: sent again within 24 hours, it has no second effect "
    "and gets the first answer. Printable ASCII characters, not only spaces.",
)


def describe_path_id(found: dict[str, Any]) -> None:
    """Say of which record the id in the path `found` is."""
    record, found["example"], _ = _PATH_IDS[found["name"]]
    found["description"] = f"Id of the {record}"


def unknown_ids(path: str) -> dict[str, str]:
    """The messages, by code, of ids in `path` that no record has."""
    codes = [code for name, (_, _, code) in _PATH_IDS.items() if f"{{{name}}}" in path]
    return {code: code.replace("_", " ").capitalize() for code in codes}


def describe_query(found: dict[str, Any], filter_field: Any) -> None:
    """Complete a query parameter: its meaning, length and the forms its values may take."""
    extra = getattr(filter_field, "extra", {})
    schema = found["schema"]
    text = found.get("description") or extra["help_text"]
    if found["name"] == "sort":
        found["description"] = text
        return
    values = schema.get("enum")
    if values:
        also = [value for value in values if value in _ALSO]
        schema["enum"] = values + [_ALSO[value] for value in also]
        if also:
            # Generators that name the values in upper case would name two of them alike.
            names = [value.upper().replace(" ", "_") for value in [*values, *also]]
            schema["x-enum-varnames"] = [
                name if place < len(values) else f"{name}_LOWER" for place, name in enumerate(names)
            ]
        text = text.removesuffix(_IN_ANY_CASE) + _IN_ANY_CASE
    found["description"] = text
