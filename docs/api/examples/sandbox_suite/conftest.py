"""Fixtures: the exchange, and a new member with 100,000 NGN for each test."""

import os

import pytest
from integration import Exchange, Member


@pytest.fixture(scope="session")
def exchange() -> Exchange:
    """The API, with the credentials of the environment."""
    return Exchange(os.environ["BASE_URL"], os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])


@pytest.fixture
def member(exchange: Exchange) -> Member:
    """A new member with 100,000 NGN."""
    made = Member(exchange)
    made.pay_in(100_000)
    return made
