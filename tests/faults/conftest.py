"""The sandbox with a client that is patient until an answer is held back on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytest_django import Settings

from tests.environment.processes import Program
from tests.environment.services import Sandbox, ServiceStack
from tests.factories.wallets import Wallet, make_member_wallet, store_bank_list
from wallets.banks.services import clear_bank_cache
from wallets.providers.registry import payment_provider

# An answer that comes late on a busy machine is no fault. Where one is held back, the client waits
# a second for it; the sandbox holds it back for three.
_PATIENT = {"read_timeout": 15.0, "total_timeout": 20.0}
_HURRIED = {"read_timeout": 1.0, "total_timeout": 2.0}
_HELD_BACK = {"timeout_before", "timeout_after", "slow_drip"}


class FaultySandbox(Sandbox):
    """Hurries the client with the first answer that it is told to hold back."""

    def __init__(self, service_stack: ServiceStack, program: Program, settings: Settings) -> None:
        super().__init__(service_stack, program)
        self._settings = settings
        self._be(_PATIENT)

    def fault(self, kind: str, times: int = 1, **options: object) -> None:
        if kind in _HELD_BACK:
            self._be(_HURRIED)
        super().fault(kind, times, **options)

    def _be(self, timeout: dict[str, float]) -> None:
        given = self._settings.PAYMENT_PROVIDER
        self._settings.PAYMENT_PROVIDER = {**given, "read_backoff": 0.01, **timeout}
        payment_provider.cache_clear()


@pytest.fixture
def sandbox(
    provider_sandbox: Sandbox,
    sandbox_program: Callable[[], Program],
    service_stack: ServiceStack,
    settings: Settings,
    transactional_db: None,
) -> Iterator[Sandbox]:
    clear_bank_cache()
    yield FaultySandbox(service_stack, sandbox_program(), settings)
    provider_sandbox.reset()
    clear_bank_cache()


@pytest.fixture
def wallet(sandbox: Sandbox) -> Wallet:
    """A member's, with 1,000 KES."""
    store_bank_list()
    return make_member_wallet(1000)
