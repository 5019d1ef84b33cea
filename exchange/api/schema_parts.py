"""Parts of the OpenAPI document that operations share: headers, failures, parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from drf_spectacular.utils import OpenApiParameter

from exchange.core.errors import IdempotencyKeyReused, NotFound, NotReady, RequestInProgress
from exchange.core.ids import parse_id


def _header(description: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    return {"description": description, "schema": {"type": kind, **more}}


def _whole_header(description: str) -> dict[str, Any]:
    return _header(description, "integer", minimum=0)


HEADERS = {
    "X-Request-ID": _header("ID of the request: your own when you sent one."),
    "X-Error-Code": _header("Stable error code, for programs.", pattern="^[a-z_]+$"),
    "X-RateLimit-Limit": _whole_header("Requests a minute, when limits are on."),
    "X-RateLimit-Remaining": _whole_header("Requests left in this minute."),
    "X-RateLimit-Reset": _whole_header("Seconds until the next minute."),
    "Retry-After": _whole_header("Seconds to wait before you retry."),
    "WWW-Authenticate": _header("The reason for the 401 or 403 (RFC 6750 §3)."),
    "X-Ignored-Fields": _header("Fields of the body that are unknown, ten at most."),
    "Content-Disposition": _header("Name of the file, where the response is one."),
    "Idempotent-Replayed": _header("`true` when the stored response is returned.", const="true"),
}
RATE_LIMIT = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")

# Status: component name, description, messages by code, further headers. Operations add their own
# messages for missing records and provider failures.
FAILURES: dict[str, tuple[str, str, dict[str, str], tuple[str, ...]]] = {
    "400": (
        "InvalidRequest",
        "The request is invalid or breaks a rule.",
        {"invalid_request": "limit must be a whole number from 1"},
        (),
    ),
    "401": (
        "Unauthenticated",
        "The access token is missing, invalid or expired.",
        {
            "unauthenticated": "An access token is required (Authorization: Bearer …)",
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
    "404": ("NotFound", "The record does not exist or is not yours.", {}, ()),
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
        "Too many requests; retry after `Retry-After` seconds.",
        {"rate_limited": "Too many requests. Try again in 17 s"},
        ("Retry-After", *RATE_LIMIT),
    ),
    "500": (
        "InternalError",
        "An internal error.",
        {"internal_error": "Something went wrong on our side"},
        (),
    ),
    "502": ("ProviderFailed", "The payment provider did not respond.", {}, ()),
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
        "message": {"type": "string", "description": "Explanation, for people"},
    },
    "required": ["status", "message"],
    "additionalProperties": False,
}

# --- Parameters -----------------------------------------------------------------------------------

_CASE_INSENSITIVE = "; case-insensitive"
_ANY_CASE = re.compile(r"[,;] (in any case|case-insensitive)$")


@dataclass(frozen=True, slots=True)
class PathId:
    """An id in a path: its record, an example, and the error for an unknown one.

    `owner` describes the record where the path continues to what it owns.
    """

    record: str
    example: str
    missing: type[NotFound]
    owner: str = ""


def path_ids() -> Mapping[str, PathId]:
    """Return the ids that paths may contain, by their names in paths."""
    ids: Mapping[str, PathId] = import_string(settings.API_PATH_IDS)
    return ids


def _ids_in(path: str) -> list[PathId]:
    return [path_id for name, path_id in path_ids().items() if f"{{{name}}}" in path]


def parameter(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the description of an optional query parameter."""
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
    description="Your key for this request. Repeated within 24 hours, it has no second effect and "
    "returns the first response. Printable ASCII characters, not only spaces.",
)


def describe_path_id(path_parameter: dict[str, Any]) -> None:
    """Add the description and an example to an id in a path."""
    path_id = path_ids()[path_parameter["name"]]
    path_parameter["example"] = path_id.example
    path_parameter["description"] = f"ID of the {path_id.record}"
    if parse_id(path_id.example):
        path_parameter["schema"]["format"] = "uuid"


def path_owner(path: str) -> str:
    """Return the owner of the records at `path`."""
    return next((one.owner for one in _ids_in(path) if one.owner), "the organisation")


def not_found_messages(path: str) -> dict[str, str]:
    """Return the messages, by code, for unknown ids in `path`."""
    return {one.missing.code: one.missing.message for one in _ids_in(path)}


def describe_query(query_parameter: dict[str, Any], filter_field: Any) -> None:
    """Add the description and the accepted values to a query parameter."""
    extra = getattr(filter_field, "extra", {})
    schema = query_parameter["schema"]
    text = query_parameter.get("description") or extra["help_text"]
    if query_parameter["name"] == "sort":
        query_parameter["description"] = text
        return
    if "enum" in schema:
        if aliases := getattr(filter_field, "aliases", []):
            # Generators that use upper-case names would give two values of one enumeration the
            # same name.
            lower = {"type": "string", "enum": list(aliases)}
            query_parameter["schema"] = {"anyOf": [schema, lower]}
        text = _ANY_CASE.sub("", text) + _CASE_INSENSITIVE
    query_parameter["description"] = text
