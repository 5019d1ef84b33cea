"""`manage.py doctor` examines the replica: against real faults of a streaming replica."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.local.embedded.cluster import Cluster
from config.local.embedded.layout import APPLICATION, OWNER, database_url
from tests.config.doctor_report import Report, doctor
from tests.environment.replication import Replication, running_replication

pytestmark = [pytest.mark.slow, pytest.mark.standalone]


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
    report = examine(servers)
    found = [(each["check"], each["level"]) for each in report.findings]
    expected = [(check, "ok") for check in ("replica", "replica encryption", "replica role")]
    assert [each for each in found if each[0].startswith("replica")] == expected, report.text
    # It is asynchronous, so a failover would lose commits.
    assert report.levels("standbys") == ["warning"]


def test_a_superuser_as_login_of_the_replica_is_found(servers: Replication) -> None:
    report = examine(servers, DATABASE_REPLICA_URL=database_url(servers.standby, OWNER))
    assert report.levels("replica") == ["ok"]
    assert report.levels("replica role") == ["problem"]
    assert "superuser" in report.seen("replica role")


def test_a_primary_and_a_replica_of_another_database_or_server_are_found(
    servers: Replication, tmp_path: Path
) -> None:
    other = Cluster(tmp_path, durable=False)
    other.start()
    primary, another = "a primary, so no list is read from it", "a replica of another database"
    try:
        # The other server has a database of the same name.
        for changes, seen in (
            ({"DATABASE_REPLICA_URL": database_url(tmp_path, APPLICATION)}, primary),
            (
                {"DATABASE_REPLICA_URL": database_url(servers.standby, APPLICATION, "postgres")},
                another,
            ),
            ({"DATABASE_URL": database_url(tmp_path, APPLICATION)}, another),
        ):
            report = examine(servers, **changes)
            assert report.seen("replica") == seen
            assert report.levels("replica") == ["problem"]
    finally:
        other.stop()


def test_a_replica_that_is_away_is_one_finding(servers: Replication) -> None:
    servers.kill()
    try:
        report = examine(servers)
    finally:
        servers.start()
    assert report.levels("replica") == ["problem"]
    assert "the primary serves all lists" in report.seen("replica")
    assert report.levels("replica role") == []
    assert report.levels("role") == ["ok"]
