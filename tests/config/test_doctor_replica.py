"""`manage.py doctor` examines the replica: against real faults of a streaming replica."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.local.embedded.cluster import Cluster
from config.local.embedded.layout import APPLICATION, OWNER, database_url
from tests.config.doctor_report import Report, doctor
from tests.environment.replication import Replication, running_replication

pytestmark = [pytest.mark.slow, pytest.mark.standalone]

GROUP = "Replica"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    with running_replication(tmp_path_factory.mktemp("replication")) as made:
        yield made


def examine(servers: Replication, **changes: str) -> Report:
    """Run doctor with both servers, unless `changes` name others."""
    given = {
        "DATABASE_URL": database_url(servers.primary, APPLICATION),
        "DATABASE_REPLICA_URL": database_url(servers.standby, APPLICATION),
    }
    return doctor(**{**given, **changes})


def test_a_sound_replica_passes_every_check(servers: Replication) -> None:
    servers.on_standby("ALTER SYSTEM SET hot_standby_feedback = on")
    servers.on_standby("SELECT pg_reload_conf()")
    report = examine(servers)
    found = [(each["check"], each["level"]) for each in report.findings if each["group"] == GROUP]
    assert found == [
        (check, "ok") for check in ("pooler", "encryption", "role", "replication", "lag")
    ], report.text
    assert "10 are allowed" in report.seen(GROUP, "lag")
    # It is asynchronous, so a failover would lose commits.
    assert report.levels("Database", "standbys") == ["warning"]
    assert "1 connected, none synchronous" in report.seen("Database", "standbys")


def test_a_replica_that_does_not_replay_with_a_superuser_as_login_is_found(
    servers: Replication,
) -> None:
    servers.on_standby("ALTER SYSTEM RESET hot_standby_feedback")
    servers.on_standby("SELECT pg_reload_conf()")
    with servers.paused():
        report = examine(
            servers,
            DATABASE_REPLICA_URL=database_url(servers.standby, OWNER),
            DATABASE_REPLICA_MAX_LAG_SECONDS="1",
        )
    assert report.levels(GROUP, "replication") == ["ok"]
    assert report.levels(GROUP, "lag") == ["problem"]
    assert report.seen(GROUP, "lag").startswith("replay is paused, its last transaction is")
    assert "superuser" in report.seen(GROUP, "role")
    assert report.levels(GROUP, "feedback") == ["warning"]


def test_a_standby_and_its_primary_in_the_wrong_places_are_found(servers: Replication) -> None:
    report = examine(
        servers,
        DATABASE_URL=database_url(servers.standby, APPLICATION),
        DATABASE_REPLICA_URL=database_url(servers.primary, APPLICATION),
    )
    assert report.levels("Database", "primary") == ["problem"]
    assert report.seen(GROUP, "replication") == "a primary, so no list is read from it"
    assert report.levels(GROUP, "replication") == ["problem"]


def test_a_replica_of_another_database_or_server_is_found(
    servers: Replication, tmp_path: Path
) -> None:
    other = Cluster(tmp_path, durable=False)
    other.start()
    try:
        # The other server has a database of the same name.
        for changes in (
            {"DATABASE_REPLICA_URL": database_url(servers.standby, APPLICATION, "postgres")},
            {"DATABASE_URL": database_url(tmp_path, APPLICATION)},
        ):
            report = examine(servers, **changes)
            assert report.seen(GROUP, "replication") == "a replica of another database"
            assert report.levels(GROUP, "replication") == ["problem"]
            assert report.levels(GROUP, "lag") == []
    finally:
        other.stop()


def test_a_replica_that_is_away_is_one_finding(servers: Replication) -> None:
    servers.kill()
    try:
        report = examine(servers)
    finally:
        servers.start()
    assert report.levels(GROUP, "connection") == ["problem"]
    assert "the primary serves all lists" in report.seen(GROUP, "connection")
    assert report.levels(GROUP, "not checked") == ["warning"]
    assert "replica role, replication" in report.seen(GROUP, "not checked")
    assert report.levels("Database", "role") == ["ok"]
