"""Fixtures: the sandbox, with short timeouts only for faults that delay a response; a replica."""

from collections.abc import Callable, Iterator

import pytest
from pytest_django import DjangoDbBlocker, Settings

from exchange.core import replica
from tests.environment.processes import Program
from tests.environment.replicated_django import django_connected_to
from tests.environment.replication import Replication, running_replication
from tests.environment.services import Sandbox, ServiceStack
from tests.factories.wallets import Wallet, make_member_wallet, store_bank_list
from wallets.banks.services import clear_bank_cache
from wallets.providers.registry import payment_provider

# A late response on a busy machine is no fault. The sandbox delays a response by three seconds; the
# client then waits for one.
_DEFAULT_TIMEOUTS = {"read_timeout": 15.0, "total_timeout": 20.0}
_SHORT_TIMEOUTS = {"read_timeout": 1.0, "total_timeout": 2.0}
_DELAYING_FAULTS = {"timeout_before", "timeout_after", "slow_drip"}


class FaultySandbox(Sandbox):
    """A sandbox whose client gets short timeouts with the first fault that delays a response."""

    def __init__(self, service_stack: ServiceStack, program: Program, settings: Settings) -> None:
        super().__init__(service_stack, program)
        self._settings = settings
        self._set_timeouts(_DEFAULT_TIMEOUTS)

    def fault(self, kind: str, times: int = 1, **options: object) -> None:
        if kind in _DELAYING_FAULTS:
            self._set_timeouts(_SHORT_TIMEOUTS)
        super().fault(kind, times, **options)

    def _set_timeouts(self, timeouts: dict[str, float]) -> None:
        current = self._settings.PAYMENT_PROVIDER
        self._settings.PAYMENT_PROVIDER = {**current, "read_backoff": 0.01, **timeouts}
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
    """A member's wallet with 1,000 KES."""
    store_bank_list()
    return make_member_wallet(1000)


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Replication]:
    """Both servers, with Django connected to them."""
    with (
        running_replication(tmp_path_factory.mktemp("replication")) as made,
        django_db_blocker.unblock(),
        django_connected_to(made),
    ):
        yield made


@pytest.fixture
def fresh_state(servers: Replication, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each test as a process that the replica serves, with short pauses."""
    monkeypatch.setattr(replica, "_state", replica._State())
    monkeypatch.setattr(replica, "_PAUSE_SECONDS", 0.3)
    replica.record_write(replica.EVERYONE)
    servers.catch_up()
    # What is written from now on is newer than the allowed lag.
    assert replica.is_serving()
