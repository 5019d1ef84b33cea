"""`kill -9` of the database during a payout, on a separate embedded server."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.local.embedded.layout import database_url
from config.local.embedded.sharing import keeper_pid, running_server
from tests.environment.processes import CHECKOUT, wait_until
from tests.environment.services import Sandbox, ServiceStack
from tests.environment.template_cache import place_migrated_server
from tests.factories.payouts import TRANSFERS, call_sandbox

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


class PayoutSteps:
    """The steps of a payout, each run by a separate process on the server in `folder`."""

    def __init__(self, folder: Path, service_stack: ServiceStack) -> None:
        self._environment = {
            **os.environ,
            **service_stack.environment,
            "TEST_DATABASE_URL": database_url(folder, "exchange_owner"),
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=CHECKOUT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> dict[str, Any]:
        output, errors = (
            process := self.start("-m", "tests.environment.payout_step", *arguments)
        ).communicate()
        assert process.returncode == 0, errors
        result: dict[str, Any] = json.loads(output)
        return result

    def migrate(self) -> None:
        process = self.start("manage.py", "migrate", "--database", "owner", "--verbosity", "0")
        _, errors = process.communicate()
        assert process.returncode == 0, errors


def kill_database(folder: Path) -> None:
    """Kill the postmaster, then its remaining child processes."""
    postmaster = int((folder / "postgres" / "data" / "postmaster.pid").read_text().split()[0])
    children = [
        int(stat.parent.name)
        for stat in Path("/proc").glob("[0-9]*/stat")
        if _parent(stat) == postmaster
    ]
    for pid in (postmaster, *children):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: keeper_pid(folder) is None, "the keeper notices the kill")


def _parent(stat: Path) -> int:
    with contextlib.suppress(OSError):
        return int(stat.read_text().rsplit(") ", 1)[1].split()[1])
    return 0


@pytest.fixture
def server(tmp_path: Path, service_stack: ServiceStack) -> Iterator[tuple[Path, PayoutSteps]]:
    steps = PayoutSteps(tmp_path, service_stack)
    place_migrated_server(tmp_path)
    with running_server(tmp_path):
        steps.migrate()
        yield tmp_path, steps


@pytest.mark.parametrize(
    ("fault", "final_status", "balances"),
    [
        ("timeout_after", "Completed", ("5E+2", "0")),
        ("timeout_before", "Unknown", ("5E+2", "5E+2")),
    ],
)
def test_a_database_kill_during_a_transfer_order_loses_nothing(
    server: tuple[Path, PayoutSteps],
    provider_sandbox: Sandbox,
    fault: str,
    final_status: str,
    balances: tuple[str, str],
):
    folder, steps = server
    created = steps.run("prepare")
    assert (created["status"], created["available"], created["escrow"]) == (
        "Approved",
        "5E+2",
        "5E+2",
    )

    def provider_statuses() -> list[str]:
        rows = call_sandbox(provider_sandbox, "GET", "transfers")
        return [row["status"] for row in rows if row["reference"] == created["reference"]]

    def count_orders() -> int:
        rows = call_sandbox(provider_sandbox, "GET", "requests")
        return sum(
            row["method"] == "POST" and row.get("reference") == created["reference"] for row in rows
        )

    provider_sandbox.fault(fault, match=TRANSFERS, seconds=3)
    paying = steps.start("-m", "tests.environment.payout_step", "pay", created["id"])
    wait_until(lambda: count_orders() == 1, "the order reached the provider")
    kill_database(folder)
    _, errors = paying.communicate()
    assert paying.returncode == 1, "the payer cannot settle without a database"
    assert "OperationalError" in errors or "PoolTimeout" in errors

    with running_server(folder):
        result = steps.run("state", created["id"])
        assert (result["status"], result["findings"]) == ("Processing", [])
        assert (result["available"], result["escrow"]) == ("5E+2", "5E+2")
        for _ in range(2):
            result = steps.run("later", created["id"])
            assert result["findings"] == []
        assert (result["status"], result["available"], result["escrow"]) == (
            final_status,
            *balances,
        )
    assert count_orders() == 1
    assert provider_statuses() == (["SUCCESSFUL"] if fault == "timeout_after" else [])
