"""Fixtures: the users who decide."""

import pytest

from tests.exchange.access.proposals import Team


@pytest.fixture
def team() -> Team:
    return Team()
