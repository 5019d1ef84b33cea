"""What happens around the views: request ids, the body limit, and the envelope for errors that
no view answered (unknown routes, faults in middleware).

The API uses neither sessions nor cookies: `outside_api` takes Django's middleware for those out
of the way of requests under /v1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from exchange.api.responses import encode_json
from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context
from exchange.core.ids import uuid7

API_PREFIX = "/v1/"
OAUTH_PREFIX = "/v1/oauth/"

# How long the server waits for a whole body, and how it says that it waited in vain.
BODY_SECONDS = 10.0
BODY_STATE = "exchange.body"
LATE = "late"

Handler = Callable[[HttpRequest], HttpResponseBase]

_VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")

_CODES = {400: "invalid_request", 404: "not_found", 405: "method_not_allowed"}
_MESSAGES = {
    400: "The request is not valid",
    404: "There is nothing at this address",
    500: "Something went wrong on our side",
}


def is_api_request(request: HttpRequest) -> bool:
    """Whether the request is for the API."""
    return request.path_info.startswith(API_PREFIX) or request.path_info == "/v1"


def failure_response(request: HttpRequest, status: int, message: str, code: str) -> HttpResponse:
    """A failure made outside of the views: the envelope, or RFC 6749's form under /v1/oauth."""
    if request.path_info.startswith(OAUTH_PREFIX):
        body = encode_json({"error": "invalid_request", "error_description": message})
    else:
        body = encode_json({"status": "failed", "message": message})
    response = HttpResponse(body, status=status, content_type="application/json")
    response["X-Error-Code"] = code
    return response


class Middleware:
    """What passes requests on to `get_response`."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response


class RequestIdMiddleware(Middleware):
    """Gives every request an id, for the answer (`X-Request-ID`) and for every line of the log;
    and every answer its length.

    A client's own is kept when it is at most 128 harmless characters.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = sent if _VALID_REQUEST_ID.fullmatch(sent) else str(uuid7())
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response["X-Request-ID"] = request_id
        if isinstance(response, HttpResponse) and "Content-Length" not in response:
            # Without it servers send the answer in chunks.
            response["Content-Length"] = str(len(response.content))
        return response


class EnvelopeMiddleware(Middleware):
    """Turns error pages of Django under /v1 into the envelope, status and headers kept."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code < 400 or not is_api_request(request):
            return response
        if response.get("Content-Type", "").startswith("application/json"):
            return response
        status = response.status_code
        message = _MESSAGES.get(status) or HTTPStatus(status).phrase
        answer = failure_response(request, status, message, _CODES.get(status, "internal_error"))
        for name in ("Allow", "Retry-After", "WWW-Authenticate"):
            if name in response:
                answer[name] = response[name]
        return answer


class BodyLimitMiddleware(Middleware):
    """Refuses bodies that did not arrive in time, and under /v1 bodies beyond the limit.

    The server (`config.http`) reads bodies before requests come here, and states their lengths.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.META.get(BODY_STATE) == LATE:
            return self._too_late(request)
        if is_api_request(request) and body_length(request) > settings.API_BODY_LIMIT_BYTES:
            limit = settings.API_BODY_LIMIT_BYTES // 1024
            return failure_response(
                request, 413, f"The body is larger than {limit} KiB", "body_too_large"
            )
        return self.get_response(request)

    @staticmethod
    def _too_late(request: HttpRequest) -> HttpResponse:
        words = f"The body did not arrive within {BODY_SECONDS:g} s"
        response = failure_response(request, 408, words, "request_timeout")
        response["Connection"] = "close"
        return response


def body_length(request: HttpRequest) -> int:
    """The stated length of a request's body, which may be more than was read."""
    stated = request.META.get("CONTENT_LENGTH") or ""
    return int(stated) if stated.isdecimal() and stated.isascii() else 0


class AuditContextMiddleware(Middleware):
    """Says for the audit who changes what a request changes: a person of the back office here, an
    API key once its token or secret was checked (`exchange.core.audit_context.set_actor`).
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        api = is_api_request(request)
        if api and request.method in {"GET", "HEAD", "OPTIONS"}:
            return self.get_response(request)
        request_id = structlog.contextvars.get_contextvars().get("request_id", "")
        with audit_context(lambda: None if api else _staff_actor(request), f"request:{request_id}"):
            return self.get_response(request)


def _staff_actor(request: HttpRequest) -> Actor | None:
    user = request.user
    return Actor.staff(user.pk, str(user)) if user.is_authenticated else None


def skip_for_api(middleware: type[Any]) -> type[Any]:
    """`middleware` for requests that are not the API's; the API's pass it by."""

    class OutsideAPI(middleware):  # type: ignore[misc]
        def __call__(self, request: HttpRequest) -> HttpResponseBase:
            if is_api_request(request):
                response: HttpResponseBase = self.get_response(request)
                return response
            answer: HttpResponseBase = super().__call__(request)
            return answer

    OutsideAPI.__name__ = OutsideAPI.__qualname__ = middleware.__name__
    return OutsideAPI


NonApiSessionMiddleware: type[MiddlewareMixin] = skip_for_api(SessionMiddleware)
NonApiAuthenticationMiddleware: type[MiddlewareMixin] = skip_for_api(AuthenticationMiddleware)
NonApiMessageMiddleware: type[MiddlewareMixin] = skip_for_api(MessageMiddleware)
