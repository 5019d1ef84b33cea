"""`kill -9` of the database while a distribution is paid, and a failover to another clock."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.local.embedded.layout import OWNER, database_url
from config.local.embedded.sharing import running_server
from tests.environment.database_steps import DatabaseSteps, kill_database
from tests.environment.debian import require_programs
from tests.environment.distribution_step import HOLDERS
from tests.environment.processes import wait_until
from tests.environment.replication import Replication, running_replication
from tests.environment.template_cache import place_migrated_server

pytestmark = pytest.mark.slow

MODULE = "tests.environment.distribution_step"
ALL_PAID = {"status": "Paid", "rows": HOLDERS, "paid": HOLDERS, "received": [25], "findings": []}


def count_paid(folder: Path) -> int:
    with psycopg.connect(database_url(folder, OWNER), autocommit=True) as connection:
        row = connection.execute("SELECT count(*) FROM credit_income WHERE status = 'Paid'")
        return int(row.fetchone()[0])  # type: ignore[index]


def facts(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name != "id"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, DatabaseSteps]]:
    steps = DatabaseSteps(MODULE, database_url(tmp_path, OWNER), {})
    place_migrated_server(tmp_path)
    with running_server(tmp_path):
        steps.migrate()
        yield tmp_path, steps


def test_a_database_kill_during_a_payment_pays_each_holder_once(
    server: tuple[Path, DatabaseSteps],
):
    folder, steps = server
    made = steps.run("prepare")
    assert (made["status"], made["rows"], made["paid"]) == ("Funded", HOLDERS, 0)
    paying = steps.start("pay", made["id"])
    wait_until(lambda: count_paid(folder) >= HOLDERS // 4, "a part is paid")
    kill_database(folder)
    paying.communicate()
    assert paying.returncode == 1

    with running_server(folder):
        state = steps.run("state", made["id"])
        assert (state["status"], state["rows"], state["findings"]) == ("Paying", HOLDERS, [])
        assert HOLDERS // 4 <= state["paid"] < HOLDERS
        assert facts(steps.run("pay", made["id"])) == ALL_PAID


def faketime_library() -> str:
    """Return the library that Debian's package installs; the dynamic linker preloads it."""
    (found,) = Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")
    return str(found)


def promote(servers: Replication) -> None:
    """Let the replica have all that the primary has, kill the primary, promote the replica."""
    servers.catch_up()
    kill_database(servers.primary)
    servers.on_standby("SELECT pg_promote()")


@pytest.mark.parametrize("shift", [-60, 60])
def test_a_failover_to_another_clock_pays_and_records_each_holder_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shift: int
):
    require_programs({"faketime": "faketime"})
    with running_replication(tmp_path) as servers:
        on_primary = DatabaseSteps(MODULE, database_url(servers.primary, OWNER), {})
        made = on_primary.run("prepare", "30")
        servers.stop()
        with monkeypatch.context() as environment:
            environment.setenv("LD_PRELOAD", faketime_library())
            environment.setenv("FAKETIME", f"{shift:+}s")
            environment.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            servers.start()
        [(clock,)] = servers.on_standby("SELECT extract(epoch FROM clock_timestamp())::float")
        assert abs(clock - time.time() - shift) < 20
        paying = on_primary.start("pay", made["id"])
        wait_until(lambda: count_paid(servers.primary) >= HOLDERS // 4, "a part is paid")
        paying.kill()
        paying.communicate()
        promote(servers)

        steps = DatabaseSteps(MODULE, database_url(servers.standby, OWNER), {})
        state = steps.run("state", made["id"])
        assert state["status"] == "Paying"
        assert HOLDERS // 4 <= state["paid"] < HOLDERS
        assert facts(steps.run("pay", made["id"])) == ALL_PAID
        # The record is due by the clock of the database alone.
        recorded = steps.run("record", made["second"])
        rows = {-60: ("Announced", 0), 60: ("Recorded", HOLDERS)}[shift]
        assert (recorded["status"], recorded["rows"], recorded["findings"]) == (*rows, [])
