"""The pytest plugin of `make fuzz`: runs tests in turns instead of once."""

import shlex
import time
import zlib

import hypothesis.core
import pytest

from tests.environment.property_tests import load_profile


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `tests.fuzz`."""
    parser.addoption("--fuzz-seed", type=int)
    parser.addoption("--fuzz-seconds", type=float)
    parser.addoption("--fuzz-test", default="")


def pytest_configure(config: pytest.Config) -> None:
    # The CI profile of hypothesis ignores seeds.
    load_profile()
    config.pluginmanager.register(Turns(config))


class Turns:
    """Runs the property tests in turns, each with its own seed.

    The examples of a turn depend only on its seed and the test's name.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._seed: int = config.getoption("--fuzz-seed")
        self._seconds: float = config.getoption("--fuzz-seconds")
        self._only: str = config.getoption("--fuzz-test")
        self._taken: dict[str, int] = {}
        self._failed: tuple[int, str] | None = None
        self._used: dict[str, float] = {}

    @property
    def _spent(self) -> float:
        return sum(self._used.values())

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Collect all files even for one test: hypothesis draws constants from them."""
        items[:] = [item for item in items if item.get_closest_marker("hypothesis")]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Give the next turn to the test with the least time used."""
        if session.testsfailed:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        items = {item.nodeid: item for item in session.items if item.nodeid.endswith(self._only)}
        if not items or (self._only and len(items) > 1):
            raise pytest.UsageError(f"{len(items)} property tests are called {self._only or '...'}")
        if self._only:
            [only] = items.values()
            self._take_turn(only, None)
            return True
        # Each seed starts with another test, for runs too short for all of them.
        names = sorted(items, key=lambda name: zlib.crc32(f"{self._seed} {name}".encode()))
        self._used = dict.fromkeys(names, 0.0)
        name = names[0]
        while self._failed is None and (not self._taken or self._spent < self._seconds):
            # pytest needs the next test, to keep shared fixtures.
            following = min(
                (other for other in names if other != name),
                key=self._used.__getitem__,
                default=name,
            )
            self._take_turn(items[name], items[following] if following != name else None)
            name = following
        return True

    def _take_turn(self, item: pytest.Item, following: pytest.Item | None) -> None:
        name = item.nodeid
        seed = self._seed + self._taken.get(name, 0)
        # The value of `--hypothesis-seed`, for one test.
        hypothesis.core.global_force_seed = zlib.crc32(  # type: ignore[assignment]
            f"{seed} {name}".encode()
        )
        before, begins = item.session.testsfailed, time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        self._taken[name] = self._taken.get(name, 0) + 1
        self._used[name] = self._used.get(name, 0.0) + time.monotonic() - begins
        if item.session.testsfailed > before:
            self._failed = (seed, name)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the number of turns of each test, and the command that repeats a failure."""
        write = terminalreporter.write_line
        write(f"{'Turns':>6} {'Seconds':>8}  Test")
        for name, turns in sorted(self._taken.items()):
            write(f"{turns:6} {self._used[name]:8.1f}  {name}")
        turns, tests = sum(self._taken.values()), len(self._taken)
        write(f"Seed {self._seed}: {turns} turns of {tests} tests in {self._spent:.1f} s")
        if self._failed is not None:
            seed, name = self._failed
            write(f"{name} failed. The same again:")
            write(f"    make fuzz SEED={seed} TEST={shlex.quote(name)}")
