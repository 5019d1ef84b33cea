"""Fixtures of wallets: an empty provider sandbox, a funded wallet, and staff."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from pytest_django import Settings

from config.local.sandbox import SandboxOptions, SandboxServer
from exchange.staff.models import StaffUser
from tests.factories.wallets import Wallet, make_member_wallet, make_staff, store_bank_list
from wallets.banks.services import clear_bank_cache
from wallets.providers.registry import payment_provider


@pytest.fixture
def sandbox(tmp_path: Path, settings: Settings) -> Iterator[SandboxServer]:
    """An empty sandbox that settles transfers only on request."""
    server = SandboxServer(
        SandboxOptions(data=tmp_path, secret_key="FLWSECK_TEST-tests-X", delay=3600)
    )
    server.start()
    for currency in server.store.floats():
        server.store.set_float(currency, Decimal(0))
    settings.PAYMENT_PROVIDER = {
        **settings.PAYMENT_PROVIDER,
        "base_url": server.base_url,
        "secret_key": "FLWSECK_TEST-tests-X",
        "read_timeout": 1.0,
        "total_timeout": 2.0,
        "read_backoff": 0.01,
    }
    payment_provider.cache_clear()
    clear_bank_cache()
    yield server
    server.stop()
    payment_provider.cache_clear()
    clear_bank_cache()


@pytest.fixture
def wallet(sandbox: SandboxServer) -> Wallet:
    """A wallet whose balance equals our float at the provider."""
    store_bank_list()
    sandbox.store.set_float("KES", Decimal(20_000))
    return make_member_wallet(20_000)


@pytest.fixture
def proposer() -> StaffUser:
    """A person who may propose settings changes."""
    return make_staff("propose_configuration")


@pytest.fixture
def approver() -> StaffUser:
    """A person who may approve settings changes."""
    return make_staff("decide_configuration")
