"""Bearer authentication of API requests, with one indexed statement.

Token, key and organisation are read on every request, so a revoked key, an expired token or a
deactivated organisation stops working with the next request.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from exchange.api.authentication import Caller
from exchange.api.middleware import bind_caller
from exchange.core import replica
from exchange.core.audit_context import set_actor
from exchange.core.database import fetch_one

if TYPE_CHECKING:
    from drf_spectacular.openapi import AutoSchema

_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")  # RFC 6750 §2.1


_REALM = 'Bearer realm="api"'


_SELECT_CALLER = """
    SELECT k.id::text, k.organisation_id::text, k.name, array_to_string(k.scopes, ' '), t.scope,
        t.expires > now(),
        k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()),
        o.active,
        k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute',
        {position}
    FROM oauth2_provider_accesstoken t
    JOIN exchange_apikey k ON k.id = t.application_id
    JOIN exchange_organisation o ON o.id = k.organisation_id
    WHERE t.token_checksum = %s
"""
_WITHOUT_REPLICA = _SELECT_CALLER.format(position="NULL")
# What the organisation must see in lists is found together with the caller.
_WITH_REPLICA = _SELECT_CALLER.format(position="read_position(k.organisation_id)")


# Concurrent requests of one key do not wait for each other to update its last use.
_UPDATE_LAST_USED = """
    UPDATE exchange_apikey SET last_used_at = now() WHERE id = (
        SELECT id FROM exchange_apikey
        WHERE id = %s AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
        FOR NO KEY UPDATE SKIP LOCKED
    ) RETURNING id
"""


class InvalidToken(AuthenticationFailed):
    """401 with RFC 6750's `invalid_token`; the challenge repeats the message."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="invalid_token")
        self.challenge = f'{_REALM}, error="invalid_token", error_description="{message}"'


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>` (RFC 6750). `request.auth` is the caller; no `user`."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        """Return the caller; None without credentials, which the view's permission rejects."""
        header = request.META.get("HTTP_AUTHORIZATION")
        if not header:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = token.strip()
        if not _TOKEN_PATTERN.fullmatch(token):
            raise InvalidToken("The access token is malformed")
        caller = _authenticate_token(token)
        set_actor(caller.actor)
        return None, caller

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's signature
        """Return the challenge for a request without a token (RFC 6750 §3)."""
        return _REALM


def _authenticate_token(token: str) -> Caller:
    checksum = hashlib.sha256(token.encode("ascii")).hexdigest()
    select = _WITH_REPLICA if replica.is_configured() else _WITHOUT_REPLICA
    row = fetch_one(select, [checksum], retryable=True)
    if row is None:
        raise InvalidToken("The access token is not known, or was revoked")
    key_id, organisation_id, name, scopes, granted, alive, usable, active, touch, position = row
    # Before it may be refused: the log says whose requests are.
    bind_caller(key_id, organisation_id)
    if not alive:
        raise InvalidToken("The access token has expired")
    if not usable:
        raise InvalidToken("The API key was revoked or has expired")
    if not active:
        raise InvalidToken("The organisation is not active")
    if touch:
        fetch_one(_UPDATE_LAST_USED, [key_id])
    caller = _build_caller(key_id, organisation_id, name, scopes, granted)
    if position is None:
        return caller
    return replace(caller, position=replica.to_position(position))


@lru_cache(maxsize=1024)
def _build_caller(
    key_id: str, organisation_id: str, name: str, of_key: str, of_token: str
) -> Caller:
    """Build the caller, cached by the texts just read."""
    # A scope removed from a key is removed from its existing tokens.
    scopes = frozenset(of_key.split()).intersection(of_token.split())
    return Caller(UUID(key_id), UUID(organisation_id), scopes, name)


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The OpenAPI security schemes: a bearer token from the client credentials grant."""

    target_class = "exchange.participants.authentication.BearerAuthentication"
    name = ["oauth2", "bearer"]

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:  # noqa: ARG002
        """Return both schemes: the grant, and the header alone for long-lived tokens."""
        grant = {"tokenUrl": "/v1/oauth/token", "scopes": dict(settings.SCOPES)}
        return [
            {
                "type": "oauth2",
                "description": "An access token from the client credentials grant",
                "flows": {"clientCredentials": grant},
            },
            {
                "type": "http",
                "scheme": "bearer",
                "description": "An access token you already have, such as a long-lived one",
            },
        ]

    def get_security_requirement(self, auto_schema: AutoSchema) -> Any:
        """Return the scope that the operation requires."""
        view: Any = auto_schema.view
        return [{"oauth2": [view.operation.scope]}, {"bearer": []}]
