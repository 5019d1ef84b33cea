"""Backups of the cluster with the commands of docs/operations/back-up.md, on whichever node leads.

All PostgreSQL nodes share one repository; after a failover the new primary must archive to it.
"""

import re

from tests.cluster.cluster import Cluster, wait_until
from tests.restore.procedures import shell_blocks

PAGE = "back-up.md"
_LAST_SEGMENT = re.compile(r"wal archive min/max \(15\): \w{24}/(\w{24})")


def set_up(cluster: Cluster) -> None:
    """Create the stanza, check that WAL reaches the repository, and make a full backup."""
    [_, create] = shell_blocks(PAGE, "Set up the archive")
    _run_on_primary(cluster, create)


def verify(cluster: Cluster) -> str:
    """Back up, and return the last segment of WAL in the repository.

    Raises RuntimeError if WAL does not arrive, AssertionError if it is not the primary's.
    """
    [back_up] = shell_blocks(PAGE, "Back up")
    primary, shown = _run_on_primary(cluster, back_up)
    with cluster.connect(primary) as connection:
        row = connection.execute("SELECT pg_walfile_name(pg_current_wal_lsn())").fetchone()
    found = _LAST_SEGMENT.search(shown)
    assert found, shown
    assert row
    timeline = str(row[0])[:8]
    assert found[1].startswith(timeline), f"{found[1]} is not of the timeline {timeline}"
    assert "incr backup" in shown, shown
    return found[1]


def _run_on_primary(cluster: Cluster, script: str) -> tuple[str, str]:
    """Run a script of the page as `postgres`; return the primary and what was written."""
    name: str = wait_until(cluster.primary, "a primary")
    shown = cluster.nodes[name].run(
        ["bash", "-euo", "pipefail", "-c", script],
        user="postgres",
        environment=cluster.archive_environment(name),
    )
    return name, shown
