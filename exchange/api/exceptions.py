"""Error responses: one table from the types of `exchange.core.errors` to HTTP statuses.

Errors of DRF, validation and the database get the same form: status, message for people, code for
programs.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import structlog
from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation, TooManyFieldsSent
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.http import Http404
from rest_framework import exceptions as drf
from rest_framework.exceptions import ErrorDetail

from exchange.api.responses import ErrorResponse
from exchange.core import errors
from exchange.core.database import is_unavailable

logger = structlog.get_logger(__name__)

HTTP_STATUS: dict[type[errors.DomainError], int] = {
    errors.Rejected: 400,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.IdempotencyKeyReused: 422,
    errors.ProviderFailed: 502,
    errors.NotReady: 503,
}

# Codes of DRF's exceptions, which have their own status.
_CODES: dict[type[drf.APIException], str] = {
    drf.ParseError: "invalid_request",
    drf.NotAuthenticated: "unauthenticated",
    drf.AuthenticationFailed: "invalid_token",
    drf.PermissionDenied: "forbidden",
    drf.NotFound: "not_found",
    drf.MethodNotAllowed: "method_not_allowed",
    drf.UnsupportedMediaType: "unsupported_media_type",
    drf.Throttled: "rate_limited",
}

_NAME = re.compile(r"[A-Za-z0-9_.\[\]]{1,100}")
_MAX_NAMES = 20

_PREDICATES = {
    "required": "is required",
    "null": "must not be null",
    "blank": "must not be blank",
    "empty": "must not be empty",
    "not_a_list": "must be an array",
    "not_a_dict": "must be an object",
}


def handle_exception(  # noqa: PLR0911 - one return for each kind of error
    exc: Exception, context: Mapping[str, Any]
) -> ErrorResponse:
    """Return the response to an exception of a view; DRF's exception handler."""
    if isinstance(exc, errors.DomainError):
        return error_response(exc)
    if isinstance(exc, drf.ValidationError):
        code = validation_code(exc.detail)
        return ErrorResponse(
            validation_message(exc.detail),
            status=400,
            code=code,
            refused_fields=name_fields(exc.detail),
        )
    if isinstance(exc, drf.APIException):
        return _from_drf(exc, context)
    if isinstance(exc, Http404):
        return ErrorResponse("Not found", status=404, code="not_found")
    if isinstance(exc, DjangoPermissionDenied):
        return ErrorResponse("Not allowed", status=403, code="forbidden")
    if isinstance(exc, SuspiciousOperation):
        many = isinstance(exc, TooManyFieldsSent)
        message = "There are too many parameters" if many else "The request is not valid"
        return ErrorResponse(message, status=400, code="invalid_request")
    if is_unavailable(exc):
        logger.error("api.database_unavailable", exc_info=exc)
        return error_response(errors.NotReady())
    logger.error("api.fault", exc_info=exc)
    return ErrorResponse("Something went wrong on our side", status=500, code="internal_error")


def error_response(error: errors.DomainError) -> ErrorResponse:
    """Return the response to a domain error, by its nearest type in the table."""
    for kind in type(error).__mro__:
        if kind in HTTP_STATUS:
            headers = retry_headers(error) if error.retry_after is not None else None
            return ErrorResponse(
                error.message, status=HTTP_STATUS[kind], code=error.code, headers=headers
            )
    raise ImproperlyConfigured(f"{type(error).__name__} has no HTTP status") from error


def retry_headers(error: errors.DomainError) -> dict[str, str]:
    """Return the header that says when to repeat the request."""
    return {"Retry-After": str(error.retry_after)}


def _from_drf(exc: drf.APIException, context: Mapping[str, Any]) -> ErrorResponse:
    headers = {}
    message = str(exc.detail)
    code = next((_CODES[kind] for kind in type(exc).__mro__ if kind in _CODES), "invalid_request")
    # DRF sets `auth_header`; our own exceptions may have a more specific challenge.
    challenge = getattr(exc, "challenge", None) or getattr(exc, "auth_header", None)
    if challenge:
        headers["WWW-Authenticate"] = challenge
    if isinstance(exc, drf.PermissionDenied | drf.AuthenticationFailed):
        named = exc.get_codes()
        code = named if isinstance(named, str) and named != "permission_denied" else code
    if isinstance(exc, drf.MethodNotAllowed):
        message = f"{context['request'].method} is not allowed here"
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    if isinstance(exc, drf.UnsupportedMediaType):
        message = "The body must be JSON (Content-Type: application/json)"
    if isinstance(exc, drf.Throttled):
        wait = max(1, int(getattr(exc, "wait", None) or 1))
        message = f"Too many requests. Try again in {wait} s"
        headers["Retry-After"] = str(wait)
    return ErrorResponse(message, status=exc.status_code, code=code, headers=headers)


def validation_message(detail: Any) -> str:
    """Return a message that names every bad field: `amount is required; name is required`."""
    return "; ".join(
        dict.fromkeys(_field_message(text, path) for path, text in _details(detail, ""))
    )


def name_fields(detail: Any) -> list[str]:
    """Return the paths of the bad fields, at most 20; other text than a name is left out.

    Keys of `metadata` are the client's own text.
    """
    paths = (path for path, _ in _details(detail, ""))
    names = ("metadata" if path.startswith("metadata.") else path for path in paths)
    names = (name for name in names if _NAME.fullmatch(name))
    return list(islice(dict.fromkeys(names), _MAX_NAMES))


def validation_code(detail: Any) -> str:
    """Return `invalid_currency` if a currency is among the errors, else `invalid_request`."""
    named = any(_code(text) == errors.InvalidCurrency.code for _, text in _details(detail, ""))
    return errors.InvalidCurrency.code if named else errors.InvalidRequest.code


def _details(detail: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every error with the path of its field."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            if name in {"non_field_errors", "__all__"}:
                yield from _details(inner, path)
            else:
                yield from _details(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list)
            yield from _details(inner, f"{path}[{index}]" if nested else path)
    else:
        yield path, detail


def _code(detail: Any) -> str:
    return str(detail.code) if isinstance(detail, ErrorDetail) else ""


def _field_message(detail: Any, path: str) -> str:
    code = _code(detail)
    text = _PREDICATES.get(code, str(detail))
    # The interface's message about `currency` names the field itself.
    if not path or (code == errors.InvalidCurrency.code and path == "currency"):
        return text
    return f"{path} {text}" if text[:1].islower() else f"{path}: {text}"
