"""The peer's authentication: access token, API key and organisation in one query with joins."""

import hashlib
from typing import Any

from oauth2_provider.models import AccessToken
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from exchange.participants.models import Organisation


class Caller:
    """A user for `IsAuthenticated`."""

    is_authenticated = True

    def __init__(self, organisation: Organisation) -> None:
        self.organisation = organisation


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Caller, Any]:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        found = (
            AccessToken.objects.select_related("application__organisation")
            .filter(token_checksum=hashlib.sha256(token.encode()).hexdigest())
            .first()
        )
        if found is None or found.is_expired() or not found.application.usable:
            raise AuthenticationFailed
        return Caller(found.application.organisation), found
