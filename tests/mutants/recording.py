"""A pytest plugin that records what each test executes: Python lines and SQL functions.

Python is traced in the test process only. The server counts calls of SQL functions from every
process; calls of a service in another process may be attributed to the following test.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connections
from psycopg import sql
from psycopg.pq import TransactionStatus

from tests.environment.database import server_url, worker_database
from tests.mutants.declared_faults import read_declarations
from tests.mutants.plugin_loader import TRACER
from tests.mutants.runner import RECORDING
from tests.mutants.sql_faults import read_definitions

# Fixtures that start our processes, whose calls the server counts when they are idle.
_OTHER_PROCESSES = {"live_service", "live_worker", "service_stack", "web_program"}
_CALLS = (
    "SELECT p.oid::regprocedure::text, s.calls FROM pg_stat_user_functions s"
    " JOIN pg_proc p ON p.oid = s.funcid WHERE s.schemaname = 'public'"
)


def pytest_configure(config: pytest.Config) -> None:
    if not config.option.collectonly:
        config.pluginmanager.register(Recorder(Path(os.environ[RECORDING])))


class Recorder:
    """Writes `tests-*`, `coverage-*`, `functions-*`, `declarations-*`, one of each per process."""

    def __init__(self, folder: Path) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        self._records = folder / f"tests-{worker}.json"
        self._functions = folder / f"functions-{worker}.json"
        self._declarations = folder / f"declarations-{worker}.json"
        assert TRACER is not None
        self._coverage = TRACER
        self._tests: dict[str, dict[str, Any]] = {}
        self._called: set[str] = set()
        self._counted: dict[str, int] = {}
        self._preparing = 0.0
        self._connection: psycopg.Connection[Any] | None = None
        self._late: str | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """Count calls while this process has its database."""
        begins = time.monotonic()
        result = yield
        if fixturedef.argname == "django_db_setup":
            self._preparing = time.monotonic() - begins
            name = worker_database()
            self._connection = _connect()
            definitions = read_definitions(self._connection)
            self._functions.write_text(json.dumps(definitions))
            self._declarations.write_text(json.dumps(read_declarations(self._connection)))
            self._connection.execute(
                sql.SQL("ALTER DATABASE {} SET track_functions = 'all'").format(
                    sql.Identifier(name)
                )
            )
            fixturedef.addfinalizer(self._disconnect)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Attribute everything from a test's first fixture to its last to the test."""
        self._coverage.switch_context(item.nodeid)
        self._called, self._preparing = set(), 0.0
        begins = time.monotonic()
        record = self._tests[item.nodeid] = {"seconds": 0.0, "passed": True, "functions": []}
        result = yield
        record["seconds"] = round(time.monotonic() - begins - self._preparing, 3)
        self._coverage.switch_context("")
        self._read_calls()
        record["functions"] = sorted(self._called)
        if self._late is not None:
            late = self._tests[self._late]
            late["functions"] = sorted(self._called.union(late["functions"]))
        fixtures = set(getattr(item, "fixturenames", ()))
        self._late = item.nodeid if fixtures & _OTHER_PROCESSES else None
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.nodeid in self._tests and not report.passed:
            self._tests[report.nodeid]["passed"] = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        if self._tests:
            self._coverage.save()
            self._records.write_text(json.dumps(self._tests))

    def _disconnect(self) -> None:
        self._read_calls()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _read_calls(self) -> None:
        """Add the functions called since the last reading."""
        if self._connection is None:
            return
        for connection in connections.all(initialized_only=True):
            raw = connection.connection
            if raw is not None and not raw.closed and _is_idle(raw):
                raw.execute("SELECT pg_stat_force_next_flush()")
        try:
            counted = dict(self._connection.execute(_CALLS).fetchall())
        except psycopg.OperationalError:  # a test terminated every session of its database
            self._connection = _connect()
            counted = dict(self._connection.execute(_CALLS).fetchall())
        self._called.update(
            name for name, calls in counted.items() if calls != self._counted.get(name)
        )
        self._counted = counted


def _connect() -> psycopg.Connection[Any]:
    return psycopg.connect(server_url(worker_database()), autocommit=True)


def _is_idle(connection: psycopg.Connection[Any]) -> bool:
    return connection.info.transaction_status == TransactionStatus.IDLE
