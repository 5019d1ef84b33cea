"""The pytest plugin of a new process that tries one mutant on the server of its worker."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from config.local.embedded.identity import die_with_parent
from tests.mutants.faults import INVALID, KILLED, SURVIVED

_LONGEST_REASON = 300


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    die_with_parent(os.getppid(), signal.SIGTERM)
    # Use the run, server and template of the parent process.
    config.workerinput = {}  # type: ignore[attr-defined]
    config.pluginmanager.register(MutantReporter())


class MutantReporter:
    """Records the outcome of the mutant."""

    def __init__(self) -> None:
        self._result: dict[str, Any] = {"result": SURVIVED, "tests": 0, "test": "", "why": ""}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self._result["tests"] += 1
        if report.failed and not self._result["test"]:
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash is not None else str(report.longrepr)
            why = f"{report.when}: {text.strip()}"[:_LONGEST_REASON]
            self._result.update(result=KILLED, test=report.nodeid, why=why)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            why = str(report.longrepr).strip().splitlines()[-1][:_LONGEST_REASON]
            self._result.update(result=KILLED, test=report.nodeid, why=why)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._result["result"] == SURVIVED and not self._result["tests"]:
            self._result.update(result=INVALID, why=f"no test ran, pytest ended with {exitstatus}")
        Path(os.environ["MUTANTS_RESULT"]).write_text(json.dumps(self._result))
