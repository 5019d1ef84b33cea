"""Parts of the OpenAPI document that every operation shares: headers, failures, parameters.

The words stand here once; `exchange.api.schema` puts them where they belong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from drf_spectacular.utils import OpenApiParameter

from exchange.core.errors import IdempotencyKeyReused, NotFound, NotReady, RequestInProgress


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

# Status: name of the component, description, messages by code, further headers. Which record is
# not there, and what a provider did not do, the operations say.
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
        {"insufficient_scope": f"This needs the scope {max(settings.PRIVILEGED_SCOPES)}"},
        ("WWW-Authenticate",),
    ),
    "404": ("NotFound", "No such record of yours.", {}, ()),
    "408": (
        "BodyTooSlow",
        "The body did not arrive within 10 seconds.",
        {"request_timeout": "The body did not arrive within 10 s"},
        (),
    ),
    "409": (
        "Conflict",
        "The state of the record does not allow this, or it exists already.",
        {RequestInProgress.code: RequestInProgress.message},
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
        {IdempotencyKeyReused.code: IdempotencyKeyReused.message},
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
    "502": ("ProviderFailed", "The payment provider did not answer.", {}, ()),
    "503": (
        "NotReady",
        "Not ready; try again shortly.",
        {NotReady.code: NotReady.message},
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

_IN_ANY_CASE = "; in any case"


@dataclass(frozen=True, slots=True)
class PathId:
    """What an id in a path is of, an example of one, and the refusal of one that no record has.

    `owner` names the record where a path leads on to what it owns.
    """

    record: str
    example: str
    missing: NotFound
    owner: str = ""


def path_ids() -> Mapping[str, PathId]:
    """Return the ids that paths may hold, by their names in paths."""
    found: Mapping[str, PathId] = import_string(settings.API_PATH_IDS)
    return found


def _ids_in(path: str) -> list[PathId]:
    return [path_id for name, path_id in path_ids().items() if f"{{{name}}}" in path]


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
    path_id = path_ids()[found["name"]]
    found["example"] = path_id.example
    found["description"] = f"Id of the {path_id.record}"


def path_owner(path: str) -> str:
    """Return the owner of the records that `path` leads to."""
    return next((one.owner for one in _ids_in(path) if one.owner), "the organisation")


def not_found_messages(path: str) -> dict[str, str]:
    """Return the messages, by code, of ids in `path` that no record has."""
    return {one.missing.code: one.missing.message for one in _ids_in(path)}


def describe_query(found: dict[str, Any], filter_field: Any) -> None:
    """Complete a query parameter: its meaning, and the forms its values may take."""
    extra = getattr(filter_field, "extra", {})
    schema = found["schema"]
    text = found.get("description") or extra["help_text"]
    if found["name"] == "sort":
        found["description"] = text
        return
    if "enum" in schema:
        values, aliases = schema["enum"], getattr(filter_field, "aliases", [])
        schema["enum"] = values + aliases
        if aliases:
            # Generators that name the values in upper case would name two of them alike.
            schema["x-enum-varnames"] = [
                *(_enum_name(value) for value in values),
                *(f"{_enum_name(value)}_LOWER" for value in aliases),
            ]
        text = text.removesuffix(_IN_ANY_CASE) + _IN_ANY_CASE
    found["description"] = text


def _enum_name(value: str) -> str:
    return value.upper().replace(" ", "_")
