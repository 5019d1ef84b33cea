"""`POST /v1/oauth/token` and `/v1/oauth/revoke` (RFC 6749 §4.4, RFC 7009), by django-oauth-toolkit.

Only these two of the toolkit's addresses are mounted. Answers and errors are the RFCs', not the
envelope.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any
from urllib.parse import unquote_plus

import structlog
from django.conf import settings
from django.db import DataError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import View
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.views.mixins import OAuthLibMixin

from exchange.acting import acts
from exchange.actors import Actor, ActorKind
from exchange.api.answers import encode
from exchange.api.exceptions import SHORTLY
from exchange.api.throttling import Budget, Uncounted, spend
from exchange.models import ApiKey

logger = structlog.get_logger(__name__)

_GRANT = "client_credentials"


class KeyValidator(OAuth2Validator):  # type: ignore[misc]
    """API keys as OAuth clients: usable ones only, each with its own scopes."""

    def authenticate_client(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether id and secret are right and the key may still be used."""
        try:
            right = super().authenticate_client(request, *args, **kwargs)
        except (DataError, ValueError):  # NUL characters in what was sent
            return False
        if not (right and request.client.usable):
            return False
        key = request.client
        acts(Actor(ActorKind.API_KEY, str(key.pk), key.name, key.organisation_id))
        return True

    def authenticate_client_id(self, *_args: Any, **_kwargs: Any) -> bool:
        """Never: every key has a secret."""
        return False

    def validate_scopes(
        self, _client_id: str, scopes: list[str], client: ApiKey, *_args: Any, **_kwargs: Any
    ) -> bool:
        """Whether all of `scopes` are the key's."""
        return set(scopes) <= set(client.scopes) & set(settings.SCOPES)

    def get_default_scopes(
        self, _client_id: str, request: Any, *_args: Any, **_kwargs: Any
    ) -> list[str]:
        """All scopes of the key, for a request that names none."""
        return [scope for scope in request.client.scopes if scope in settings.SCOPES]


@method_decorator([csrf_exempt, sensitive_post_parameters("client_secret", "token")], "dispatch")
class OAuthView(OAuthLibMixin, View):  # type: ignore[misc]
    """What both addresses share: the limit per client id, and answers that nobody stores."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The answer, within the limit of token requests."""
        try:
            response = self._limited(request, *args, **kwargs)
        except Uncounted:
            response = _not_ready()
        except (OperationalError, InterfaceError):
            logger.exception("api.database_unavailable")
            response = _not_ready()
        response["Cache-Control"] = "no-store"
        response["Pragma"] = "no-cache"
        return response

    def _limited(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        who = hashlib.sha256((client_id_of(request) or "").encode(errors="replace")).hexdigest()
        budget = spend("token", who)
        if budget is not None and budget.used > budget.limit:
            response = _too_many(budget)
        else:
            response = self._answer(request, *args, **kwargs)
        for name, value in (budget.headers if budget else {}).items():
            response[name] = value
        return response

    def _answer(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST":
            return _error(405, "invalid_request", "Use POST", {"Allow": "POST"})
        scheme, _, encoded = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() == "basic":  # the toolkit knows it in one spelling only
            request.META["HTTP_AUTHORIZATION"] = f"Basic {encoded}"
        response: Any = super().dispatch(request, *args, **kwargs)
        if response.content:
            response["Content-Type"] = "application/json"
        if response.status_code == 401:
            response["WWW-Authenticate"] = 'Basic realm="api"'
        return response  # type: ignore[no-any-return]


class TokenView(OAuthView):
    """Access tokens by the client credentials grant; there are no refresh tokens."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """A token, or RFC 6749 §5.2's error."""
        grant = request.POST.get("grant_type")
        if not grant:
            return _error(400, "invalid_request", "grant_type is missing")
        if grant != _GRANT:
            return _error(400, "unsupported_grant_type", f"Only {_GRANT} is supported")
        _, headers, body, status = self.create_token_response(request)
        return HttpResponse(body or "", status=status, headers=headers)


class RevokeView(OAuthView):
    """Revocation of a token of the authenticated key; unknown tokens are a success (RFC 7009)."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """200 without content, or an error."""
        _, headers, body, status = self.create_revocation_response(request)
        return HttpResponse(body or "", status=status, headers=headers)


def client_id_of(request: HttpRequest) -> str | None:
    """The client id that a request claims, by Basic credentials or in its body."""
    scheme, _, encoded = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            text = base64.b64decode(encoded).decode()
        except (binascii.Error, UnicodeDecodeError):
            return None
        return unquote_plus(text.partition(":")[0])
    return request.POST.get("client_id")


def _too_many(budget: Budget) -> HttpResponse:
    retry = {"Retry-After": str(budget.reset)}
    return _error(429, "slow_down", f"Try again in {budget.reset} s", retry)


def _not_ready() -> HttpResponse:
    words = "The service is not ready. Please try again shortly"
    return _error(503, "temporarily_unavailable", words, SHORTLY)


def _error(
    status: int, error: str, description: str, headers: dict[str, str] | None = None
) -> HttpResponse:
    body = encode({"error": error, "error_description": description})
    return HttpResponse(body, status=status, content_type="application/json", headers=headers)
