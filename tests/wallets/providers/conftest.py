"""Fixtures of providers: a sandbox on a free loopback port, and its client."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from config.local.sandbox import SandboxOptions, SandboxServer
from tests.wallets.providers.harness import SECRET_KEY, WEBHOOK_HASH, Sandbox, client_of
from wallets.providers.flutterwave import FlutterwaveClient


@pytest.fixture
def start_sandbox(tmp_path: Path) -> Iterator[Callable[..., Sandbox]]:
    with ExitStack() as stack:

        def start(**options: Any) -> Sandbox:
            values: dict[str, Any] = {
                "data": tmp_path / "sandbox",
                "secret_key": SECRET_KEY,
                "webhook_hash": WEBHOOK_HASH,
                "delay": 3600,
                "hang_seconds": 5,
            } | options
            server = SandboxServer(SandboxOptions(**values))
            server.start()
            stack.callback(server.stop)
            return Sandbox(server)

        yield start


@pytest.fixture
def sandbox(start_sandbox: Callable[..., Sandbox]) -> Sandbox:
    return start_sandbox()


@pytest.fixture
def client(sandbox: Sandbox) -> FlutterwaveClient:
    return client_of(sandbox)
