"""Wallets to attack, and who attacks: the runtime role, and the owner of the schema."""

from __future__ import annotations

import pytest

from tests.support.ledger import ROLES
from tests.support.world import Wallet, know_banks, make_wallet


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def wallet() -> Wallet:
    know_banks()
    return make_wallet(1000)


@pytest.fixture
def other() -> Wallet:
    return make_wallet(1000)
