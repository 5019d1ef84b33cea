"""Organisations with an API key, and their calls through Django's test client."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

from django.conf import settings
from django.test import Client

from exchange.core.actors import Actor
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.participants.services.api_keys import get_live_keys, issue_access_token, issue_api_key
from exchange.participants.services.members import create_member

TESTER = Actor.system("tests")
_numbers = count(1)


@dataclass
class ApiCaller:
    """An organisation with an API key; calls carry its access token."""

    organisation: Organisation
    key: ApiKey
    secret: str
    token: str
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str, query: Any = None, **headers: str) -> Any:
        return self.client.get(path, query, headers={**self.headers, **_named(headers)})

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Send `body`: a dict, or JSON text or bytes as they are."""
        raw = body if isinstance(body, str | bytes) else json.dumps(body or {})
        return self.client.post(
            path,
            raw,
            content_type="application/json",
            headers={**self.headers, **_named(headers)},
        )

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        """Send `body`: a dict, or JSON text or bytes as they are."""
        raw = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.patch(
            path,
            raw,
            content_type="application/json",
            headers={**self.headers, **_named(headers)},
        )

    def call(self, method: str, path: str, **headers: str) -> Any:
        return self.client.generic(method, path, headers={**self.headers, **_named(headers)})


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def make_organisation(name: str = "") -> Organisation:
    return Organisation.objects.create(name=name or f"Organisation {next(_numbers)}")


def make_caller(
    scopes: Iterable[str] | None = None, organisation: Organisation | None = None
) -> ApiCaller:
    """Make an API key with `scopes` (all when None) and an access token."""
    owner = organisation or make_organisation()
    others = get_live_keys(owner).count()
    key, secret = issue_api_key(
        organisation=owner,
        name=f"tests {others + 1}" if others else "tests",
        scopes=settings.SCOPES if scopes is None else scopes,
        actor=TESTER,
    )
    token = issue_access_token(key=key, lifetime=timedelta(hours=1), actor=TESTER)
    return ApiCaller(owner, key, secret, token)


def make_member(organisation: Organisation, name: str = "Ada Obi", **more: str) -> Member:
    email = more.pop("email", f"member{next(_numbers)}@example.com")
    return create_member(
        organisation_id=organisation.id, name=name, email=email, actor=TESTER, **more
    )


def assert_error(response: Any, status: int, code: str, message: str | None = None) -> str:
    """Assert the exact error envelope and return its message."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    assert response["X-Error-Code"] == code
    assert response["X-Request-ID"]
    body = response.json()
    assert set(body) == {"status", "message"}
    assert body["status"] == "failed"
    if message is not None:
        assert body["message"] == message
    return str(body["message"])
