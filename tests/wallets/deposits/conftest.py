"""Fixtures of deposits: who is paid, and a provider that has money to take payments back from."""

from decimal import Decimal

import pytest

from config.local.sandbox import SandboxServer
from tests.factories.deposits import Owner, make_owner


@pytest.fixture
def owner() -> Owner:
    return make_owner()


@pytest.fixture
def money_at_provider(sandbox: SandboxServer) -> None:
    """Enough to take payments back from."""
    sandbox.store.set_float("KES", Decimal(100_000))
