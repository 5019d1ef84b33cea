"""Seconds of processor by folder and by fixture, for `make test TIMES=1`.

A second counts where it was used: by this process and the programs it started and waited for. The
run's embedded PostgreSQL is one figure, from the system's account of its processes.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.environment.database import server_url

_HERE = Path(__file__).parents[1]
_OUTPUT = "processor_times"


def used() -> float:
    """Return the seconds of processor of this process and its children that have ended."""
    return sum(os.times()[:4])


class ProcessorTimes:
    """Counts the seconds of one process; the process that distributes adds those of all."""

    def __init__(self) -> None:
        self.tests: dict[str, float] = defaultdict(float)
        self.fixtures: dict[str, float] = defaultdict(float)
        self.counts: dict[str, int] = defaultdict(int)
        self.collection = 0.0
        # Seconds of fixtures set up within the one that is being set up.
        self._within = [0.0]

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        started = used()
        try:
            return (yield)
        finally:
            self.collection = used() - started

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        module = str(item.path.relative_to(_HERE))
        self.counts[module] += 1
        started = used()
        try:
            return (yield)
        finally:
            self.tests[module] += used() - started

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        started = used()
        self._within.append(0.0)
        try:
            return (yield)
        finally:
            took = used() - started
            self.fixtures[fixturedef.argname] += took - self._within.pop()
            self._within[-1] += took

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for name, seconds in node.workeroutput[_OUTPUT].items():
            mine = getattr(self, name)
            if name == "collection":
                self.collection += seconds
                continue
            for key, value in seconds.items():
                mine[key] += value

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = {
                "tests": dict(self.tests),
                "fixtures": dict(self.fixtures),
                "counts": dict(self.counts),
                "collection": self.collection,
            }

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        folders: dict[str, float] = defaultdict(float)
        counts: dict[str, int] = defaultdict(int)
        for module, seconds in self.tests.items():
            parts = Path(module).parts
            folders[parts[0]] += seconds
            counts[parts[0]] += self.counts[module]
        write = terminalreporter.write_line
        write(
            f"\nSeconds of processor: {self.collection:.0f} of collection,"
            f" {_server_seconds():.0f} of PostgreSQL"
        )
        _table(write, "folder", folders, counts)
        _table(write, "module", self.tests, self.counts, most=60)
        _table(write, "fixture", self.fixtures, {}, most=40)


def _server_seconds() -> float:
    """Return those of the run's PostgreSQL: its first process and all that have ended."""
    with psycopg.connect(server_url("postgres")) as connection:
        session = _fields(connection.info.backend_pid)
        server = _fields(int(session[1]))
    ticks = sum(int(field) for field in server[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def _fields(pid: int) -> list[str]:
    """Return a process's fields of /proc/PID/stat that follow its name, from its state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _table(
    write: Any, what: str, seconds: dict[str, float], counts: dict[str, int], most: int = 1000
) -> None:
    write(f"\n{what:<64} {'tests':>6} {'seconds':>8}")
    ordered = sorted(seconds.items(), key=lambda entry: -entry[1])
    for name, value in ordered[:most]:
        write(f"{name:<64} {counts.get(name, ''):>6} {value:>8.1f}")
    write(f"{'all':<64} {sum(counts.values()):>6} {sum(seconds.values()):>8.1f}")
