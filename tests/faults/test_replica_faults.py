"""Lists while the replica is away, behind or cancels, or its primary crashes."""

import os
import signal
import threading
import time
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connections
from pytest_django import Settings

from config.metrics.readings import READINGS
from exchange.core import replica
from exchange.core.database import fetch_one, read_alias, read_cursor, sqlstate
from tests.environment.processes import wait_until
from tests.environment.replicated_django import disconnect_replica
from tests.environment.replication import Replication
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.faults.replica_reads import is_serving, names

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("fresh_state")]


def test_a_replica_that_receives_nothing_reports_the_age_of_its_last_change(
    servers: Replication,
) -> None:
    [reading] = [reading for reading in READINGS if reading.name == "replica"]

    def read() -> tuple[int, float]:
        row = fetch_one(reading.sql, using=replica.ALIAS)
        assert row is not None
        return row[0], float(row[1])

    wait_until(lambda: read() == (1, 0), "all that was received is applied")
    with servers.disconnected():
        connected, lag = read()
        assert connected == 0
        assert lag > 0
    wait_until(lambda: read() == (1, 0), "all that was received is applied")


def test_a_replica_behind_the_allowed_lag_serves_no_reader(
    servers: Replication, settings: Settings
) -> None:
    settings.REPLICA_MAX_LAG_SECONDS = 0.5
    caller = make_caller()
    with servers.paused():
        make_member(caller.organisation, "New")
        assert replica.is_serving()
        wait_until(lambda: names(caller) == {"New"}, "the primary serves")
        assert not replica.is_serving()
    wait_until(is_serving, "the replica serves again")
    assert replica.is_serving()


def test_requests_survive_a_killed_replica_and_return_to_it(servers: Replication) -> None:
    caller = make_caller()
    make_member(caller.organisation, "Ada")
    servers.catch_up()
    results: list[tuple[set[str], float]] = []
    stop = threading.Event()

    def ask() -> None:
        own = ApiCaller(caller.organisation, caller.key, caller.secret, caller.token)
        while not stop.is_set():
            began = time.monotonic()
            results.append((names(own), time.monotonic() - began))
        connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: len(results) > 20, "requests are served")
        assert is_serving()
        servers.kill()
        after = len(results)
        wait_until(lambda: len(results) > after + 100, "requests are served by the primary")
        assert not replica.is_serving()
        servers.start()
        wait_until(is_serving, "the replica serves again")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert {frozenset(seen) for seen, _ in results} == {frozenset({"Ada"})}
    assert len(results) > 120


def test_requests_do_not_wait_for_a_replica_that_does_not_respond(
    servers: Replication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "_CHECK_SECONDS", 0.2)
    caller = make_caller()
    make_member(caller.organisation, "Ada")
    servers.catch_up()
    assert names(caller) == {"Ada"}
    with servers.hung():
        assert names(caller) == {"Ada"}
        assert replica._state._retry_at is not None
        # From now on no request waits; probes run in the background.
        for _ in range(30):
            position = replica.fetch_position(replica.EVERYONE)
            began = time.monotonic()
            assert replica.read(read_alias, position) == "default"
            assert time.monotonic() - began < 0.9
            time.sleep(0.02)
    wait_until(is_serving, "the replica serves again")


def test_a_read_cancelled_by_replay_is_repeated_on_the_primary(servers: Replication) -> None:
    servers.on_primary("CREATE TABLE conflict AS SELECT generate_series(1, 1000) AS number")
    servers.on_primary("GRANT SELECT ON conflict TO exchange_runtime")
    servers.on_standby("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    servers.on_standby("SELECT pg_reload_conf()")
    servers.catch_up()
    seen: list[tuple[str, Any]] = []

    def run() -> int:
        alias = read_alias()
        try:
            with read_cursor() as cursor:
                if alias == "replica":
                    threading.Thread(target=remove).start()
                    cursor.execute("SELECT count(*), pg_sleep(20) FROM conflict")
                else:
                    cursor.execute("SELECT count(*) FROM conflict")
                (count, *_) = cursor.fetchone()
                return int(count)
        except DatabaseError as error:
            seen.append((alias, sqlstate(error)))
            raise

    def remove() -> None:
        time.sleep(0.3)
        servers.on_primary("DELETE FROM conflict")
        servers.on_primary("VACUUM (FREEZE) conflict")

    try:
        assert replica.read(run, replica.fetch_position(replica.EVERYONE)) == 0
        assert seen == [("replica", "40001")]
        assert replica._state.may_read()
    finally:
        servers.on_standby("ALTER SYSTEM RESET max_standby_streaming_delay")
        servers.on_standby("SELECT pg_reload_conf()")


def test_the_address_of_a_primary_is_not_used(servers: Replication) -> None:
    options = dict(connections.settings["replica"])
    disconnect_replica()
    connections["replica"].settings_dict["HOST"] = connections["default"].settings_dict["HOST"]
    try:
        assert not replica.is_serving()
    finally:
        disconnect_replica()
        connections["replica"].settings_dict["HOST"] = options["HOST"]


def test_after_a_crash_of_the_primary_all_see_what_was_written_before(servers: Replication) -> None:
    caller = make_caller()
    make_member(caller.organisation, "Before")
    with servers.paused():
        make_member(caller.organisation, "After")
        assert names(caller) == {"Before"}
        [(pid,)] = servers.on_primary(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'"
        )
        os.kill(pid, signal.SIGKILL)
        connections["default"].close()

        def is_up() -> bool:
            try:
                return servers.on_primary("SELECT 1") == [(1,)]
            except psycopg.OperationalError:
                return False

        wait_until(lambda: not is_up() or is_up(), "the primary has noticed")
        wait_until(is_up, "the primary has recovered")
        assert servers.on_primary("SELECT count(*) FROM exchange_writeposition") == [(0,)]
        wait_until(lambda: names_or_none(caller) is not None, "the service has recovered")
        assert names(caller) == {"Before", "After"}
    wait_until(is_serving, "the replica serves again")


def names_or_none(caller: ApiCaller) -> set[str] | None:
    connections["default"].close()
    response = caller.get("/v1/api/members")
    return names(caller) if response.status_code == 200 else None
