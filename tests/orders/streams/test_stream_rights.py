"""Who may open a stream, how many, and whether it may go on: the view under ASGI."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.test import AsyncClient, AsyncRequestFactory

from exchange.tokens.models import Token, TokenAccess
from orders.streams import api
from orders.streams.api import may_read
from orders.streams.channels import read_channels
from orders.streams.hub import Hub
from tests.environment.event_loops import run_apart
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    made = Hub()
    monkeypatch.setattr(api, "HUB", made)
    return made


@pytest.fixture
def token() -> Token:
    return make_token()


async def opened(caller: ApiCaller, token: Token) -> tuple[Any, AsyncIterator[bytes] | None]:
    """Open a stream; return the response, and what comes if it is open."""
    response: Any = await AsyncClient().get(
        "/v1/stream", {"channels": f"book:{token.id}"}, headers=caller.headers
    )
    if response.status_code != 200:
        return response, None
    parts = aiter(response.streaming_content)
    assert b"event: snapshot" in await anext(parts)
    return response, parts


def answers(token: Token, callers: list[ApiCaller]) -> list[int]:
    """Open a stream for each caller while the others read; return the statuses."""

    async def run() -> list[int]:
        found = [await opened(caller, token) for caller in callers]
        for _, parts in found:
            if parts is not None:
                await parts.aclose()  # type: ignore[attr-defined]
        return [response.status_code for response, _ in found]

    return run_apart(run())


def test_a_process_and_an_organisation_have_a_number_of_streams(monkeypatch, token):
    one, other = make_caller(), make_caller()
    monkeypatch.setattr(api, "MOST_OF_ORGANISATION", 2)
    assert answers(token, [one, one, one, other]) == [200, 200, 409, 200]
    monkeypatch.setattr(api, "MOST_READERS", 3)
    assert answers(token, [one, one, other, other]) == [200, 200, 200, 503]


def test_a_reader_needs_its_token_its_scope_and_its_view_of_each_token(token):
    caller, private = make_caller(), make_token(deal_access="Private")
    access = TokenAccess.objects.create(token=private, organisation=caller.organisation)
    request = AsyncRequestFactory().get("/v1/stream", headers=caller.headers)
    channels = read_channels(f"book:{token.id},trades:{private.id}")
    assert may_read(request, channels)
    access.delete()
    assert not may_read(request, channels)
    assert may_read(request, channels[:1])
    type(caller.key).objects.filter(id=caller.key.id).update(scopes=["members:read"])
    assert not may_read(request, channels[:1])
    assert not may_read(AsyncRequestFactory().get("/v1/stream"), channels[:1])
