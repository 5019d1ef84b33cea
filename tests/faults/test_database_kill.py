"""`kill -9` of the database while a payout is under way, on an embedded server of its own."""

from __future__ import annotations

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


class Errands:
    """Steps of a payout, each by a process of its own against the server of `folder`."""

    def __init__(self, folder: Path, service_stack: ServiceStack) -> None:
        self._environment = {
            **os.environ,
            **service_stack.environment,
            "TEST_DATABASE_URL": database_url(folder, "exchange_owner"),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=CHECKOUT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> dict[str, Any]:
        output, complaint = (
            process := self.start("-m", "tests.environment.payout_step", *words)
        ).communicate()
        assert process.returncode == 0, complaint
        found: dict[str, Any] = json.loads(output)
        return found

    def migrate(self) -> None:
        process = self.start("manage.py", "migrate", "--database", "owner", "--verbosity", "0")
        _, complaint = process.communicate()
        assert process.returncode == 0, complaint


def kill_database(folder: Path) -> None:
    """The postmaster first, then every process it has left."""
    postmaster = int((folder / "postgres" / "data" / "postmaster.pid").read_text().split()[0])
    children = [
        int(stat.parent.name)
        for stat in Path("/proc").glob("[0-9]*/stat")
        if _parent(stat) == postmaster
    ]
    for pid in (postmaster, *children):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: keeper_pid(folder) is None, "the keeper has seen it")


def _parent(stat: Path) -> int:
    with contextlib.suppress(OSError):
        return int(stat.read_text().rsplit(") ", 1)[1].split()[1])
    return 0


@pytest.fixture
def server(tmp_path: Path, service_stack: ServiceStack) -> Iterator[tuple[Path, Errands]]:
    jobs = Errands(tmp_path, service_stack)
    place_migrated_server(tmp_path)
    with running_server(tmp_path):
        jobs.migrate()
        yield tmp_path, jobs


@pytest.mark.parametrize(
    ("fault", "ending", "balances"),
    [
        ("timeout_after", "Completed", ("5E+2", "0")),
        ("timeout_before", "Unknown", ("5E+2", "5E+2")),
    ],
)
def test_a_database_killed_while_the_order_is_at_the_provider_loses_nothing(
    server: tuple[Path, Errands],
    provider_sandbox: Sandbox,
    fault: str,
    ending: str,
    balances: tuple[str, str],
):
    folder, jobs = server
    made = jobs.run("prepare")
    assert (made["status"], made["available"], made["escrow"]) == ("Approved", "5E+2", "5E+2")

    def at_the_provider() -> list[str]:
        rows = call_sandbox(provider_sandbox, "GET", "transfers")
        return [row["status"] for row in rows if row["reference"] == made["reference"]]

    def orders() -> int:
        rows = call_sandbox(provider_sandbox, "GET", "requests")
        return sum(
            row["method"] == "POST" and row.get("reference") == made["reference"] for row in rows
        )

    provider_sandbox.fault(fault, match=TRANSFERS, seconds=3)
    paying = jobs.start("-m", "tests.environment.payout_step", "pay", made["id"])
    wait_until(lambda: orders() == 1, "the order reached the provider")
    kill_database(folder)
    _, complaint = paying.communicate()
    assert paying.returncode == 1, "the payer cannot have settled"
    assert "OperationalError" in complaint or "PoolTimeout" in complaint

    with running_server(folder):
        found = jobs.run("state", made["id"])
        assert (found["status"], found["findings"]) == ("Processing", [])
        assert (found["available"], found["escrow"]) == ("5E+2", "5E+2")
        for _ in range(2):
            found = jobs.run("later", made["id"])
            assert found["findings"] == []
        assert (found["status"], found["available"], found["escrow"]) == (ending, *balances)
    assert orders() == 1
    assert at_the_provider() == (["SUCCESSFUL"] if fault == "timeout_after" else [])
