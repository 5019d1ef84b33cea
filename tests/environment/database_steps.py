"""Steps that separate processes run on a database which a test kills."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config.local.embedded.sharing import keeper_pid
from tests.environment.processes import CHECKOUT, wait_until


class DatabaseSteps:
    """Runs the steps of a program that prints JSON, each in a process of its own."""

    def __init__(self, module: str, url: str, environment: Mapping[str, str]) -> None:
        self._module = module
        self._environment = {**os.environ, **environment, "TEST_DATABASE_URL": url}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a step."""
        return self._start("-m", self._module, *arguments)

    def run(self, *arguments: str) -> dict[str, Any]:
        """Run a step and return what it printed."""
        process = self.start(*arguments)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        result: dict[str, Any] = json.loads(output)
        return result

    def migrate(self) -> None:
        """Migrate the database, where no migrated files are stored."""
        process = self._start("manage.py", "migrate", "--database", "owner", "--verbosity", "0")
        _, errors = process.communicate()
        assert process.returncode == 0, errors

    def _start(self, *command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=CHECKOUT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def kill_database(folder: Path) -> None:
    """Kill the postmaster of a data directory, then its remaining child processes."""
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
