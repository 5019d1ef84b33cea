"""The pytest plugin that tries mutants, replacing the loop that runs each test once.

The process has imported everything and collected every test. For each mutant it forks: the child
gets its own database, applies the change, and runs the covering tests until one fails. A change of
code that runs at import (a constant, a decorator) is tried in a new process. Several workers share
one list of mutants. Their private copy of the checkout contains the change too, for the services
that tests start.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.local.embedded.identity import die_with_parent
from tests.environment.database import server_url, worker_database
from tests.mutants.code_replacement import NotReplaceable, replace_code
from tests.mutants.faults import INVALID, KILLED, SURVIVED, TIMED_OUT
from tests.mutants.runner import JOBS

# The time limit of a test: a multiple of its recorded duration, plus some seconds.
SLOWDOWN, GRACE_SECONDS = 8.0, 12.0
_STARTING = 180.0
_STOPPING = 15.0
_LONGEST_REASON = 300


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Worker(Path(os.environ[JOBS])))


class Worker:
    """Takes jobs from the folder that all workers share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = os.environ["PYTEST_XDIST_WORKER"]
        self._items: dict[str, pytest.Item] = {}
        self._saved = 0
        self._child: Child | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try mutants until no job is left."""
        self._items = {item.nodeid: item for item in session.items}
        self._prepare()
        with (self._folder / f"results-{self._name}.jsonl").open("a") as results:
            for path in sorted(self._folder.glob("job-*.json")):
                with contextlib.suppress(FileExistsError):
                    path.with_suffix(".taken").touch(exist_ok=False)
                    job = json.loads(path.read_text())
                    tests = len(job["tests"])
                    job["tests"] = self._chosen(job)
                    result = {key: job[key] for key in ("key", "module")}
                    result["left_out"] = tests - len(job["tests"])
                    results.write(json.dumps({**result, **self._try(job)}) + "\n")
                    results.flush()
        return True

    def _chosen(self, job: dict[str, Any]) -> dict[str, float]:
        """Return a job's tests within its time limit; tests that killed related mutants first."""
        killers: Counter[str] = Counter()
        for path in self._folder.glob("results-*.jsonl"):
            for line in path.read_text().splitlines():
                result = json.loads(line)
                if result["module"] == job["module"] and result["result"] == KILLED:
                    killers[result["test"]] += 1
        # All mutants of an SQL function have the same tests; a job names some of them.
        usable = self._items if job["kind"] == "sql" else job["tests"]
        known = [name for name, _ in killers.most_common() if name in usable]
        seconds_of = {name: job["tests"].get(name, 1.0) for name in [*known, *job["tests"]]}
        chosen: dict[str, float] = {}
        for name, seconds in seconds_of.items():
            if not chosen or sum(chosen.values()) + seconds <= job["limit"]:
                chosen[name] = seconds
        return chosen

    def _prepare(self) -> None:
        """Make the template and see a test pass before changing anything."""
        job = json.loads(min(self._folder.glob("job-*.json")).read_text())
        first = dict.fromkeys([*job["tests"]][:1], _STARTING)
        result = self._fork({"kind": "unchanged", "tests": first})
        if result["result"] != SURVIVED:
            raise pytest.UsageError(f"Without a fault: {result}")

    def _try(self, job: dict[str, Any]) -> dict[str, Any]:
        begins = time.monotonic()
        if job["kind"] == "sql":
            result = self._fork(job)
        else:
            with self._written(Path(job["module"]), job["text"]):
                result = {"result": "import"} if job["imported"] else self._fork(job)
                if result["result"] == "import":
                    result = self._start_anew(job)
        return {**result, "seconds": round(time.monotonic() - begins, 1)}

    @contextlib.contextmanager
    def _written(self, path: Path, text: str) -> Iterator[None]:
        """Write the change with a file time that invalidates compiled files."""
        source, times = path.read_text(), path.stat()
        path.write_text(text)
        self._saved += 1
        os.utime(path, (times.st_atime, times.st_mtime + self._saved))
        try:
            yield
        finally:
            path.write_text(source)
            os.utime(path, (times.st_atime, times.st_mtime))

    def _fork(self, job: dict[str, Any]) -> dict[str, Any]:
        """Try the mutant in a child process, which may hang or crash."""
        messages, out = os.pipe()
        worker = os.getpid()
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(BaseException):
                os.close(messages)
                os.setpgid(0, 0)
                die_with_parent(worker, signal.SIGTERM)
                self._child = Child(self._items, out)
                self._child.run(job)
            os._exit(0)
        os.close(out)
        try:
            return _follow(messages, pid, job["tests"])
        finally:
            os.close(messages)
            _drop_database()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """Install a changed SQL function as soon as the child has its database."""
        result = yield
        if self._child is not None and fixturedef.argname == "django_db_setup":
            self._child.replace_function()
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._child is not None:
            self._child.note(report)

    def _start_anew(self, job: dict[str, Any]) -> dict[str, Any]:
        """Run the tests in a new process on this process's server."""
        names = list(job["tests"])
        listed = self._folder / f"tests-{self._name}.txt"
        listed.write_text("\n".join(names))
        result_file = self._folder / f"guest-{self._name}.json"
        result_file.unlink(missing_ok=True)
        limit = _STARTING + GRACE_SECONDS + SLOWDOWN * sum(job["tests"].values())
        command = [
            sys.executable, "-m", "pytest", "-x", "-q", "-p", "tests.mutants.fresh_process",
            "-pno:cacheprovider", "-pno:xdist", f"--timeout={GRACE_SECONDS * 3:.0f}", f"@{listed}",
        ]  # fmt: skip
        with subprocess.Popen(
            command, env=os.environ | {"MUTANTS_RESULT": str(result_file)},
            stdin=subprocess.DEVNULL, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                _end_group(process.pid)
                return {"result": TIMED_OUT, "tests": 0, "test": "", "why": "a new process"}
            finally:
                _drop_database()
        if not result_file.exists():
            return {"result": KILLED, "tests": 0, "test": "", "why": "pytest could not start"}
        return dict(json.loads(result_file.read_text()))


class Child:
    """The forked process: applies the change, runs the tests and reports to the parent."""

    def __init__(self, items: dict[str, pytest.Item], out: int) -> None:
        self._items = items
        self._out = out
        self._definition = ""
        self._invalid = ""
        self._failed = ""

    def run(self, job: dict[str, Any]) -> None:
        """Run the job's tests until one fails; the last message is the result."""
        if job["kind"] == "sql":
            self._definition = job["text"]
        elif job["kind"] == "python":
            try:
                replace_code(Path(job["module"]), job["source"], job["text"])
            except NotReplaceable:
                self._say(result="import")
                return
            except (SyntaxError, ValueError) as error:
                self._say(result=INVALID, why=str(error))
                return
        items = [self._items[name] for name in job["tests"] if name in self._items]
        if not items:
            self._say(result=INVALID, why="none of its tests was collected")
            return
        signal.signal(signal.SIGTERM, _stop)
        try:
            self._say(**self._result_of(items))
        finally:
            # Ends services that tests have started.
            items[0].session._setupstate.teardown_exact(None)

    def _result_of(self, items: list[pytest.Item]) -> dict[str, Any]:
        for number, item in enumerate(items):
            following = items[number + 1] if number + 1 < len(items) else None
            self._say(starts=item.nodeid)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._invalid:
                return {"result": INVALID, "why": self._invalid}
            if self._failed:
                found = {"test": item.nodeid, "why": self._failed, "tests": number + 1}
                return {"result": KILLED, **found}
        return {"result": SURVIVED, "tests": len(items)}

    def replace_function(self) -> None:
        """Install the changed SQL function in this process's database."""
        if not self._definition:
            return
        with psycopg.connect(server_url(worker_database()), autocommit=True) as connection:
            try:
                connection.execute(self._definition.encode())
            except psycopg.Error as error:
                self._invalid = str(error).partition("\n")[0]
                raise

    def note(self, report: pytest.TestReport) -> None:
        """Record why the test failed."""
        if report.failed and not self._failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash is not None else str(report.longrepr)
            self._failed = f"{report.when}: {text.strip()}"[:_LONGEST_REASON]

    def _say(self, **message: Any) -> None:
        os.write(self._out, json.dumps(message).encode() + b"\n")


def _stop(*_: object) -> None:
    pytest.exit("The parent has waited long enough.")


def _follow(messages: int, pid: int, expected: dict[str, float]) -> dict[str, Any]:
    """Read the child's messages until it ends; kill it when a test takes too long."""
    result: dict[str, Any] = {}
    test, buffer, limit = "", b"", _STARTING
    deadline = time.monotonic() + limit
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([messages], [], [], left)[0]:
            _end_group(pid)
            os.waitpid(pid, 0)
            if not result:
                why = f"more than {limit:.0f} s"
                result = {"result": TIMED_OUT, "test": test, "why": why, "tests": 0}
            return result
        part = os.read(messages, 65536)
        if not part:
            break
        *lines, buffer = (buffer + part).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "starts" in message:
                test = message["starts"]
                limit = GRACE_SECONDS + SLOWDOWN * expected.get(test, 0.0)
            else:
                result, limit = message, _STARTING
            deadline = time.monotonic() + limit
    os.waitpid(pid, 0)
    return result or {"result": KILLED, "test": test, "why": "the process ended", "tests": 0}


def _end_group(pid: int) -> None:
    """Kill a process that we started, with its group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)
        if number == signal.SIGTERM:
            deadline = time.monotonic() + _STOPPING
            while time.monotonic() < deadline and Path(f"/proc/{pid}").exists():
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    break
                time.sleep(0.1)


def _drop_database() -> None:
    """Drop the database that a killed child has left."""
    with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{worker_database()}" WITH (FORCE)')
