"""Long exports by a real worker: duration, and memory of the worker and the web processes.

Exports the entries, ten for each withdrawal. Memory is the peak (`VmHWM`, Linux) of the worker
while it writes, and of all web processes together during the download.
"""

import json
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import psycopg
import requests

from config.local.embedded.layout import OWNER, database_url
from tests.benchmarks.installation import Installation
from tests.environment.memory import peak_memory, process_tree, reset_peak
from tests.factories.ledger_rows import ENTRIES_EACH, fill_withdrawals

ROWS = (20_000, 200_000)
FULL_ROWS = (20_000, 200_000, 1_000_000)
_FORMS = ("csv", "xlsx")
_PIECE = 1024 * 1024


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    rows: Sequence[int] = ROWS,
) -> dict[str, Any]:
    """Export each form of file with each number of rows once; other parameters do not apply."""
    del seconds, rounds, connections
    organisation = json.loads(installation.python("tests.benchmarks.dataset", "0", "no bank"))
    url = database_url(installation.folder, OWNER)
    worker = installation.work()
    web = installation.serve_ours()
    processes = process_tree(installation.servers[-1])
    figures: dict[str, Any] = {}
    filled = 0
    for count in (1_000, *rows):  # the first one loads code that stays in memory
        fill_withdrawals(url, organisation["organisation"], filled + 1, count // ENTRIES_EACH)
        filled = count // ENTRIES_EACH
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
        for form in _FORMS:
            for pid in (worker, *processes):
                reset_peak(pid)
            made = json.loads(installation.python("tests.benchmarks.exports_program", form))
            wrote = peak_memory(worker)
            started = perf_counter()
            size = _download(f"{web}{made['address']}", made["session"])
            figures[f"{form.upper()}, {count:,} rows"] = {
                "rows": made["rows"],
                "seconds": round(made["seconds"], 1),
                "per_second": round(made["rows"] / made["seconds"]),
                "file_megabytes": round(size / 1e6, 1),
                "download_seconds": round(perf_counter() - started, 2),
                "worker_megabytes": round(wrote / 1e6, 1),
                "web_megabytes": round(sum(map(peak_memory, processes)) / 1e6, 1),
            }
    return figures


def report(figures: dict[str, Any]) -> None:
    """Print one line for each file."""
    for name, seen in figures.items():
        print(
            f"  {name:<24}{seen['seconds']:>8,.1f} s{seen['per_second']:>9,} rows/s"
            f"{seen['file_megabytes']:>8,.1f} MB   worker {seen['worker_megabytes']:,.0f} MB,"
            f" web {seen['web_megabytes']:,.0f} MB, downloaded in {seen['download_seconds']:g} s"
        )


def _download(address: str, session: str) -> int:
    with requests.get(
        address, cookies={"sessionid": session}, stream=True, timeout=600, allow_redirects=False
    ) as response:
        if response.status_code != 200:
            raise RuntimeError(f"{address} responded with {response.status_code}")
        return sum(len(piece) for piece in response.iter_content(_PIECE))
