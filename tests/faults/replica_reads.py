"""Helpers: lists that may be read from the replica, and whether it serves."""

from uuid import UUID

from exchange.core import replica
from exchange.core.database import read_alias
from tests.factories.api_clients import ApiCaller


def names(caller: ApiCaller) -> set[str]:
    """Return the names of the members that the API lists."""
    response = caller.get("/v1/api/members", {"limit": "200"})
    assert response.status_code == 200, response.content
    return {member["name"] for member in response.json()["data"]["members"]}


def is_serving() -> bool:
    return replica.read(lambda: read_alias() == "replica", replica.fetch_position(UUID(int=9)))
