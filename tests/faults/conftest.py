"""The sandbox with a client that loses patience quickly, so that lost answers cost a second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.support.services import Sandbox
from tests.support.world import Wallet, know_banks, make_member_wallet
from wallets.providers.registry import payment_provider
from wallets.services.banks import forget_bank_lists


@pytest.fixture
def sandbox(
    provider_sandbox: Sandbox, settings: Settings, transactional_db: None
) -> Iterator[Sandbox]:
    settings.PAYMENT_PROVIDER = {
        **settings.PAYMENT_PROVIDER,
        "connect_timeout": 1.0,
        "read_timeout": 0.4,
        "total_timeout": 0.8,
        "read_backoff": 0.01,
    }
    payment_provider.cache_clear()
    forget_bank_lists()
    yield provider_sandbox
    provider_sandbox.reset()
    forget_bank_lists()


@pytest.fixture
def wallet(sandbox: Sandbox) -> Wallet:
    """A member's, with 1,000 KES."""
    know_banks()
    return make_member_wallet(1000)
