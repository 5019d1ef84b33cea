"""Who decides in these tests."""

from __future__ import annotations

import pytest

from tests.exchange.access.proposals import House


@pytest.fixture
def house() -> House:
    return House()
