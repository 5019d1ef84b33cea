"""A lender and a borrower, and the connection of an attacker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.environment.database import Connection, session
from tests.factories.lending import Lending, make_lending


@pytest.fixture
def world() -> Lending:
    return make_lending()


@pytest.fixture
def runtime() -> Iterator[Connection]:
    """A connection that acts as the application does, in autocommit mode."""
    with session("runtime") as connection:
        connection.autocommit = True
        yield connection
