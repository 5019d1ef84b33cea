"""The processes for tests over real HTTP."""

import pytest
import requests

from tests.environment.processes import Program, wait_until
from tests.environment.services import Sandbox, Service
from wallets.providers.registry import payment_provider


@pytest.mark.slow
def test_the_service_recovers_after_every_process_was_killed(
    live_service: Service,
) -> None:
    assert requests.get(f"{live_service.base_url}/health", timeout=10).json()["status"] == "ok"
    live_service.kill()
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{live_service.base_url}/health", timeout=10)
    live_service.start()
    assert requests.get(f"{live_service.base_url}/health", timeout=10).json()["status"] == "ok"


def test_the_configured_provider_is_the_sandbox(provider_sandbox: Sandbox) -> None:
    assert len(payment_provider().list_banks("NGN")) >= 10


@pytest.mark.slow
def test_a_killed_worker_resumes_work(live_worker: Program) -> None:
    live_worker.kill()
    wait_until(lambda: not live_worker.running, "the worker is gone")
