"""Runs faults against the cluster under load, and reports what each of them cost."""

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import backups, monitoring
from tests.cluster.book import BookClients
from tests.cluster.cluster import (
    DATABASE_NODES,
    WORKER_NODES,
    Cluster,
    running_cluster,
    wait_until,
)
from tests.cluster.faults import FAULTS
from tests.cluster.load import Load, longest_pause
from tests.cluster.node import CONFIGURATION
from tests.cluster.verify import Result, verify

RESULTS = CONFIGURATION / "results.md"
_LOAD_BEFORE_SECONDS = 5.0
_LOAD_AFTER_SECONDS = 5.0
_RESUME_SECONDS = 90.0

_HEAD = """\
# Faults of the reference cluster

Written by `make cluster-test DOCS=1`. Five clients request withdrawals and read wallets through the
proxy while the fault happens; a client repeats a failed request with its `Idempotency-Key` until it
is acknowledged. A sixth follows the feed of events: the run fails if it misses or repeats one, or
reads those of a withdrawal in another order. A seventh trades, and a stream follows its book: the
run fails if that differs from the API's. All nodes share one machine with {cores} cores.

- *No writes*, *no reads*: the longest time in seconds without a successful request.
- *Lost*: acknowledged withdrawals that are missing, or Completed ones that were not paid.
- *Doubled*: withdrawals that are stored more than once.
- *Paid twice*: by the provider's own book.
- *Undecided*: payouts that were not sent, because the answer to a commit was lost, and that the
  provider does not know. Two people decide about them. Counted since the start of the run.

| Fault | No writes | No reads | Acknowledged | Lost | Doubled | Paid twice | Undecided | Books |
|---|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """The result of one fault: seconds without a successful request, and what was verified."""

    fault: str
    write_pause: float
    read_pause: float
    result: Result

    def __str__(self) -> str:
        """Return the row of the table."""
        result = self.result
        return (
            f"| {FAULTS[self.fault].description} | {self.write_pause:.1f} | {self.read_pause:.1f}"
            f" | {result.acknowledged} | {result.lost} | {result.duplicated} | {result.paid_twice}"
            f" | {result.undecided} | {'hold' if result.books_hold else 'DIFFER'} |"
        )


def run(folder: Path, chosen: list[str], logs: Path | None = None) -> list[Row]:
    """Start the cluster, inject each fault under load, print the table and return its rows.

    With `logs` the programs' logs are copied there.
    """
    began = time.monotonic()
    with _copied_logs(folder, logs), running_cluster(folder) as cluster:
        print(f"The cluster is ready after {time.monotonic() - began:.0f} s", flush=True)
        monitoring.start(cluster)
        preparing = time.monotonic()
        backups.set_up(cluster)
        print(f"Archive and full backup after {time.monotonic() - preparing:.0f} s", flush=True)
        seeded = json.loads(cluster.python("-m", "tests.cluster.seed"))
        _end_cooling_off(cluster)
        for name in WORKER_NODES:
            cluster.nodes[name].start(
                "approver",
                [sys.executable, "-m", "tests.cluster.approver"],
                environment=cluster.environment(name),
            )
        acknowledged: dict[str, str] = {}
        rows = []
        for name in chosen:
            load = Load(cluster.url, cluster.certificate, seeded["token"], seeded["members"])
            book = BookClients(cluster.url, cluster.certificate, seeded["token"], seeded["traded"])
            try:
                book.start()
                rows.append(_run_fault(cluster, name, load, acknowledged))
                print(f"A follower had {book.stop()} states of a book", flush=True)
            except BaseException:
                load.abandon()
                raise
            print(rows[-1], dict(load.acknowledged.failures), flush=True)
        verifying = time.monotonic()
        print(f"Prometheus reads {monitoring.verify(cluster)} programs", flush=True)
        print(f"The repository has WAL up to {backups.verify(cluster)}", flush=True)
        print(f"Both verified in {time.monotonic() - verifying:.0f} s", flush=True)
    return rows


def write_results(rows: list[Row], cores: int) -> None:
    """Write the table to docs/cluster."""
    RESULTS.write_text(_HEAD.format(cores=cores) + "".join(f"{row}\n" for row in rows))


@contextlib.contextmanager
def _copied_logs(folder: Path, logs: Path | None) -> Iterator[None]:
    try:
        yield
    finally:
        if logs is not None:
            logs.mkdir(parents=True, exist_ok=True)
            for path in folder.glob("*/*.log"):
                shutil.copy(path, logs / f"{path.parent.name}-{path.name}")


def _end_cooling_off(cluster: Cluster) -> None:
    """Let the approver decide at once, instead of a day after the account was made."""
    primary = wait_until(cluster.primary, "a primary")
    with cluster.connect(primary) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE exchange_staffuser SET access_changed_at = now() - interval '30 days'"
        )


def _run_fault(cluster: Cluster, name: str, load: Load, acknowledged: dict[str, str]) -> Row:
    fault = FAULTS[name]
    recorded = load.acknowledged
    load.start()
    wait_until(
        lambda: recorded.rejections or (recorded.writes and recorded.reads), "the first requests"
    )
    time.sleep(_LOAD_BEFORE_SECONDS)
    began = time.monotonic()
    repair = fault.inject(cluster)
    time.sleep(fault.seconds)
    repair()
    wait_until(lambda: _is_whole(cluster), "all database nodes are back", _RESUME_SECONDS)
    repaired = time.monotonic()
    wait_until(
        lambda: recorded.rejections or (recorded.writes and recorded.writes[-1] > repaired),
        "writes succeed again",
        _RESUME_SECONDS,
    )
    time.sleep(_LOAD_AFTER_SECONDS)
    ended = time.monotonic()
    load.stop()
    acknowledged |= recorded.withdrawals
    return Row(
        name,
        longest_pause(recorded.writes, began, ended),
        longest_pause(recorded.reads, began, ended),
        verify(cluster, acknowledged),
    )


def _is_whole(cluster: Cluster) -> bool:
    return (
        cluster.primary() is not None
        and len(cluster.standbys()) == len(DATABASE_NODES) - 1
        and bool(cluster.synchronous_standbys())
    )
