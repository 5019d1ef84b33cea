"""Middleware: request ids, the body limit, the envelope for errors outside of views, the audit.

The API uses neither sessions nor cookies: `skip_for_api` makes Django's middleware for them skip
requests under /v1.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from exchange.api.responses import encode_json
from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context
from exchange.core.ids import uuid7

API_PREFIX = "/v1/"
OAUTH_PREFIX = "/v1/oauth/"

Handler = Callable[[HttpRequest], HttpResponseBase]

# Other names of UTF-8 and its subset.
_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})

_VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")

_CODES = {400: "invalid_request", 404: "not_found", 405: "method_not_allowed"}
_MESSAGES = {
    400: "The request is not valid",
    404: "There is nothing at this address",
    500: "Something went wrong on our side",
}


def is_api_request(request: HttpRequest) -> bool:
    """Return whether the request is for the API."""
    return request.path_info.startswith(API_PREFIX) or request.path_info == "/v1"


def failure_response(request: HttpRequest, status: int, message: str, code: str) -> HttpResponse:
    """Return a failure from outside of views: the envelope, or RFC 6749's form under /v1/oauth."""
    if request.path_info.startswith(OAUTH_PREFIX):
        body = encode_json({"error": "invalid_request", "error_description": message})
    else:
        body = encode_json({"status": "failed", "message": message})
    response = HttpResponse(body, status=status, content_type="application/json")
    response["X-Error-Code"] = code
    return response


class Middleware:
    """Base of middleware classes."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response


class RequestIdMiddleware(Middleware):
    """Adds a request id to the response (`X-Request-ID`) and the log, and the `Content-Length`.

    The client's own id is used if it is valid. Authentication adds the caller to the log. No cache
    keeps a response that does not say otherwise.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = sent if _VALID_REQUEST_ID.fullmatch(sent) else str(uuid7())
        # The thread's previous request has left its organisation or person.
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        response = self.get_response(request)
        response["X-Request-ID"] = request_id
        response.headers.setdefault("Cache-Control", "no-store")
        if isinstance(response, HttpResponse) and response.status_code not in {204, 304}:
            # Without it servers send the response in chunks.
            response.headers.setdefault("Content-Length", str(len(response.content)))
        return response


def bind_caller(key_id: str, organisation_id: str) -> None:
    """Add the API key and its organisation to the request log, and to the rest of the log lines."""
    structlog.contextvars.bind_contextvars(key_id=key_id, organisation_id=organisation_id)


class EnvelopeMiddleware(Middleware):
    """Replaces Django's error pages under /v1 by the envelope; keeps status and headers."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code < 400 or not is_api_request(request):
            return response
        if response.get("Content-Type", "").startswith("application/json"):
            return response
        status = response.status_code
        message = _MESSAGES.get(status) or HTTPStatus(status).phrase
        failure = failure_response(request, status, message, _CODES.get(status, "internal_error"))
        for name in ("Allow", "Retry-After", "WWW-Authenticate"):
            if name in response:
                failure[name] = response[name]
        return failure


class BodyLimitMiddleware(Middleware):
    """Rejects bodies that are not UTF-8, and those above the limit.

    The application (`config.wsgi`) has read the body and set its length before.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_api_request(request) and body_length(request) > settings.API_BODY_LIMIT_BYTES:
            limit = settings.API_BODY_LIMIT_BYTES // 1024
            return failure_response(
                request, 413, f"The body is larger than {limit} KiB", "body_too_large"
            )
        uploads = settings.UPLOAD_LIMITS
        longest = uploads.get(request.path_info, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        if body_length(request) > longest:
            # It was not read: Django would find a form without a token.
            raise RequestDataTooBig
        charset = (request.content_params or {}).get("charset")
        if charset is not None and charset.lower() not in _UTF8 and has_body(request):
            return failure_response(
                request, 415, "The body must be in UTF-8", "unsupported_media_type"
            )
        return self.get_response(request)


def body_length(request: HttpRequest) -> int:
    """Return the declared length of the body, which may be more than was read."""
    stated = request.META.get("CONTENT_LENGTH") or ""
    return int(stated) if stated.isdecimal() and stated.isascii() else 0


def has_body(request: HttpRequest) -> bool:
    """Return whether the request has a body that is read: that of a GET is not."""
    return request.method not in {"GET", "HEAD"} and body_length(request) > 0


class AuditContextMiddleware(Middleware):
    """Sets the actor of the audit: the signed-in person. For the API, authentication sets the key
    (`exchange.core.audit_context.set_actor`).
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        api = is_api_request(request)
        if api and request.method in {"GET", "HEAD", "OPTIONS"}:
            return self.get_response(request)
        if not api:
            # Before the first write: after a change of SECRET_KEY, finding the user writes the
            # session under a new key, and a write inside the context asks for the user.
            bool(request.user.is_authenticated)
        request_id = structlog.contextvars.get_contextvars().get("request_id", "")
        with audit_context(lambda: None if api else _staff_actor(request), f"request:{request_id}"):
            return self.get_response(request)


def _staff_actor(request: HttpRequest) -> Actor | None:
    user = request.user
    return Actor.staff(user.pk, str(user)) if user.is_authenticated else None


def skip_for_api(middleware: type[Any]) -> type[Any]:
    """Return `middleware` in a version that skips requests of the API."""

    class OutsideAPI(middleware):  # type: ignore[misc]
        def __call__(self, request: HttpRequest) -> HttpResponseBase:
            if is_api_request(request):
                response: HttpResponseBase = self.get_response(request)
                return response
            handled: HttpResponseBase = super().__call__(request)
            return handled

    OutsideAPI.__name__ = OutsideAPI.__qualname__ = middleware.__name__
    return OutsideAPI


NonApiSessionMiddleware: type[MiddlewareMixin] = skip_for_api(SessionMiddleware)
NonApiAuthenticationMiddleware: type[MiddlewareMixin] = skip_for_api(AuthenticationMiddleware)
NonApiMessageMiddleware: type[MiddlewareMixin] = skip_for_api(MessageMiddleware)
