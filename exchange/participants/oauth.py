"""`POST /v1/oauth/token` and `/v1/oauth/revoke` (RFC 6749 §4.4, RFC 7009), by django-oauth-toolkit.

Only these two endpoints of the toolkit are mounted. Responses and errors follow the RFCs, not the
envelope.

A request is authenticated before it is counted: a correct secret against the limit of its key, a
wrong one against the limits of its client address. Failures of one client therefore never block
another, and an unknown client id responds, and costs, the same as a wrong secret.
"""

import base64
import hashlib
import json
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_plus

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import View
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.views.mixins import OAuthLibMixin

from exchange.api.exceptions import retry_headers
from exchange.api.middleware import bind_caller
from exchange.api.responses import encode_json
from exchange.api.throttling import RateLimitUsage, count_request
from exchange.core.client_address import client_address
from exchange.core.errors import NotReady
from exchange.participants.models import ApiKey
from exchange.participants.services.client_authentication import authenticate_client, find_client

logger = structlog.get_logger(__name__)

_GRANT = "client_credentials"
# Carries the authenticated key within a request. A client's header cannot contain a dot.
_KEY_HEADER = "exchange.api_key"
WRONG_CREDENTIALS = (
    "The client id or the client secret is wrong, or the key was revoked or has expired"
)
# The codes of RFC 6749 §5.2 that the toolkit may answer, with our descriptions.
_DESCRIPTIONS = {
    "invalid_request": "The request is not valid",
    "invalid_scope": "A scope is unknown, or not one of the key's",
}


class ApiKeyValidator(OAuth2Validator):  # type: ignore[misc]
    """API keys as OAuth clients with their own scopes, authenticated by `OAuthView`."""

    def authenticate_client(self, request: Any, *_args: Any, **_kwargs: Any) -> bool:
        """Use the key that the view authenticated."""
        request.client = request.headers.get(_KEY_HEADER)
        return isinstance(request.client, ApiKey)

    def authenticate_client_id(self, *_args: Any, **_kwargs: Any) -> bool:
        """Reject clients without a secret: every key has one."""
        return False

    def validate_scopes(
        self, _client_id: str, scopes: list[str], client: ApiKey, *_args: Any, **_kwargs: Any
    ) -> bool:
        """Return whether the key has all of `scopes`."""
        return set(scopes) <= set(client.scopes) & set(settings.SCOPES)

    def get_default_scopes(
        self, _client_id: str, request: Any, *_args: Any, **_kwargs: Any
    ) -> list[str]:
        """Return all scopes of the key, for a request that names none."""
        return [scope for scope in request.client.scopes if scope in settings.SCOPES]


class TooManyFailures(Exception):
    """The client address sent too many wrong secrets."""

    def __init__(self, budget: RateLimitUsage) -> None:
        super().__init__(budget)
        self.budget = budget


@method_decorator([csrf_exempt, sensitive_post_parameters("client_secret", "token")], "dispatch")
class OAuthView(OAuthLibMixin, View):  # type: ignore[misc]
    """Shared by both endpoints: authentication, rate limits, and responses that are not cached."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Respond to a request, within the rate limits."""
        try:
            response = self._respond(request, *args, **kwargs)
        except TooManyFailures as error:
            response = _rate_limited(error.budget)
        except NotReady:
            response = _unavailable()
        except (OperationalError, InterfaceError):
            logger.exception("api.database_unavailable")
            response = _unavailable()
        response["Cache-Control"] = "no-store"
        response["Pragma"] = "no-cache"
        return response

    def _respond(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST":
            return _error(405, "invalid_request", "Use POST", {"Allow": "POST"})
        if request.META.get("QUERY_STRING"):  # as the toolkit does for those it can decode
            return _error(400, "invalid_request", "URL query parameters are not allowed")
        request.POST = _stated(request.POST)  # type: ignore[assignment]
        client_id, secret = _credentials(request)
        if not _agree(request.POST, client_id, secret):
            return _error(400, "invalid_request", "The header and the body name different clients")
        key = _authenticate(request, client_id, secret)
        if key is None:
            challenge = {"WWW-Authenticate": 'Basic realm="api"'}
            return _error(401, "invalid_client", WRONG_CREDENTIALS, challenge)
        bind_caller(str(key.pk), str(key.organisation_id))
        budget = count_request("token", str(key.pk))
        response: Any
        if budget is not None and budget.used > budget.limit:
            response = _rate_limited(budget)
        else:
            request.META[_KEY_HEADER] = key
            response = super().dispatch(request, *args, **kwargs)
            if response.content:
                response["Content-Type"] = "application/json"
        for name, value in (budget.headers if budget else {}).items():
            response[name] = value
        return response  # type: ignore[no-any-return]


class TokenView(OAuthView):
    """Access tokens from the client credentials grant; there are no refresh tokens."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Return a token, or an error as in RFC 6749 §5.2."""
        grant = request.POST.get("grant_type")
        if not grant:
            return _error(400, "invalid_request", "grant_type is missing")
        if grant != _GRANT:
            return _error(400, "unsupported_grant_type", f"Only {_GRANT} is supported")
        return _build_response(*self.create_token_response(request))


class RevokeView(OAuthView):
    """Revocation of a token of the authenticated key; unknown tokens are a success (RFC 7009)."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Return 200 without content, or an error."""
        if not request.POST.get("token"):
            return _error(400, "invalid_request", "token is missing")
        return _build_response(*self.create_revocation_response(request))


def _build_response(
    _url: Any, headers: dict[str, str], body: str | None, status: int
) -> HttpResponse:
    """Build a response from the toolkit's, with our error descriptions."""
    if status < HTTPStatus.BAD_REQUEST:
        return HttpResponse(body or "", status=status, headers=headers)
    error = json.loads(body or "{}").get("error")
    known = error if error in _DESCRIPTIONS else "invalid_request"
    return _error(status, known, _DESCRIPTIONS[known])


def _stated(form: QueryDict) -> QueryDict:
    """Return `form` without parameters that have no value: they count as absent (RFC 6749 §3.2)."""
    stated = form.copy()
    for name, value in form.items():
        if not value:
            del stated[name]
    return stated


def _agree(form: QueryDict, client_id: str, secret: str) -> bool:
    """Return whether credentials in `form`, if any, are the ones that are checked."""
    sent = form.get("client_id", client_id), form.get("client_secret", secret)
    return sent == (client_id, secret)


def _authenticate(request: HttpRequest, client_id: str, secret: str) -> ApiKey | None:
    """Return the usable key of this client id and secret; None when they are wrong.

    Raises `TooManyFailures` when the client address failed too often, `Uncounted` when failures
    cannot be counted, and `NotReady` while another slow hash is checked.
    """
    client = find_client(client_id)
    if client.has_slow_hash:
        # Counted before the expensive check, and rejected beyond the limit.
        _count_failure(request, client_id)
        return authenticate_client(client, secret)
    key = authenticate_client(client, secret)
    if key is None:
        _count_failure(request, client_id)
    return key


def _count_failure(request: HttpRequest, client_id: str) -> None:
    """Count one wrong secret. Raises `TooManyFailures` beyond the limits."""
    address = client_address(request)
    pair = hashlib.sha256(f"{address} {client_id}".encode(errors="replace")).hexdigest()
    # The address first: beyond its limit, made-up client ids create no more counters.
    for kind, value in (("token_failures_address", address), ("token_failures", pair)):
        budget = count_request(kind, value)
        if budget is not None and budget.used > budget.limit:
            raise TooManyFailures(budget)


def _credentials(request: HttpRequest) -> tuple[str, str]:
    """Read client id and secret from Basic credentials or the body; empty when absent."""
    scheme, _, encoded = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            text = base64.b64decode(encoded).decode()
        except ValueError:  # not Base64, or not UTF-8
            return "", ""
        client_id, _, secret = text.partition(":")
        return unquote_plus(client_id), unquote_plus(secret)
    return request.POST.get("client_id", ""), request.POST.get("client_secret", "")


def _rate_limited(budget: RateLimitUsage) -> HttpResponse:
    retry = {"Retry-After": str(budget.reset)}
    return _error(429, "slow_down", f"Try again in {budget.reset} s", retry)


def _unavailable() -> HttpResponse:
    return _error(503, "temporarily_unavailable", NotReady.message, retry_headers(NotReady()))


def _error(
    status: int, error: str, description: str, headers: dict[str, str] | None = None
) -> HttpResponse:
    body = encode_json({"error": error, "error_description": description})
    return HttpResponse(body, status=status, content_type="application/json", headers=headers)
