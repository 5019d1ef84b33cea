"""Pages of the back office: milliseconds and queries, with a small table and a large one.

One user opens page after page, in the process that renders them. A page must not take more queries
with the larger table; `growth` is how many times as long it takes there.
"""

import json
from collections.abc import Sequence
from statistics import median
from typing import Any

import psycopg

from config.local.embedded.layout import OWNER, database_url
from tests.benchmarks.installation import Installation
from tests.factories.ledger_rows import ENTRIES_EACH, fill_withdrawals

SIZES = (1_000, 20_000)
FULL_SIZES = (1_000, 100_000)


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    sizes: Sequence[int] = SIZES,
) -> dict[str, Any]:
    """Measure each page `rounds` times after a warm-up, for each number of withdrawals.

    `seconds` and `connections` do not apply: one user opens one page at a time.
    """
    del seconds, connections
    records = json.loads(installation.python("tests.benchmarks.dataset", "0", "no bank"))
    url = database_url(installation.folder, OWNER)
    figures: dict[str, Any] = {}
    first: dict[str, float] = {}
    filled = 0
    for size in sizes:
        fill_withdrawals(url, records["organisation"], filled + 1, size)
        filled = size
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
        pages = json.loads(installation.python("tests.benchmarks.back_office_pages", str(rounds)))
        for name, seen in pages.items():
            took = median(seen["milliseconds"])
            figures[f"{name}: {size:,} withdrawals, {size * ENTRIES_EACH:,} entries"] = {
                "milliseconds": round(took, 1),
                "queries": seen["queries"],
                "kilobytes": round(seen["bytes"] / 1000, 1),
                "growth": round(took / first.setdefault(name, took), 2),
                "rounds": [round(t, 1) for t in seen["milliseconds"]],
            }
    return figures


def report(figures: dict[str, Any]) -> None:
    """Print one line for each page."""
    for name, seen in figures.items():
        print(
            f"  {name:<75}{seen['milliseconds']:>9,.1f} ms{seen['queries']:>5} queries"
            f"{seen['kilobytes']:>8,.0f} kB   {seen['growth']:g} times as long as in the first"
        )
