"""Fixtures: the users who decide."""

from __future__ import annotations

import pytest

from tests.exchange.access.proposals import Team


@pytest.fixture
def team() -> Team:
    return Team()
