"""The pages of members and organisations, and the search, with few members and with many.

Two databases on one server, of one organisation each, with as many records for each member; pages
are opened on both by turns. With many members a page may take no more than `MOST_QUERIES` queries
and `MOST_GROWTH` times as long. Times are lower quartiles: others on the machine only add to them.
"""

import json
from collections.abc import Sequence
from statistics import quantiles
from typing import Any

from tests.benchmarks import customers_dataset
from tests.benchmarks.installation import PRESENT, Installation

SIZES = (1_000, 10_000)
FULL_SIZES = (1_000, 100_000)
MOST_QUERIES = 30
MOST_GROWTH = 1.5
# Runs of the program on each database; every run opens each page so many times.
_TURNS = 3
_ROUNDS = 8


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    sizes: Sequence[int] = SIZES,
) -> dict[str, Any]:
    """Fill two databases and measure the pages; the other parameters do not apply."""
    del seconds, rounds, connections
    databases = (installation, installation.install_version(PRESENT))
    records = []
    for size, one in zip(sizes, databases, strict=True):
        made = json.loads(one.python("tests.benchmarks.dataset", "0", "Equity Bank"))
        token = json.loads(one.python("tests.benchmarks.customers_pages", "token"))["token"]
        records.append(customers_dataset.fill(one.owner_url, made["organisation"], token, size))
    pages: list[dict[str, Any]] = [{}, {}]
    for _ in range(_TURNS):
        for seen, one in zip(pages, databases, strict=True):
            printed = one.python("tests.benchmarks.customers_pages", str(_ROUNDS))
            for name, page in json.loads(printed).items():
                seen.setdefault(name, {"milliseconds": [], "queries": page["queries"]})
                seen[name]["milliseconds"] += page["milliseconds"]
    few, many = pages
    title = f"{sizes[1]:,} and {sizes[0]:,} members, {records[1]:,} and {records[0]:,} records"
    return {f"{name}, {title}": _figures(few[name], many[name]) for name in few}


def _figures(few: dict[str, Any], many: dict[str, Any]) -> dict[str, Any]:
    first, last = (quantiles(seen["milliseconds"])[0] for seen in (few, many))
    return {
        "milliseconds_first": round(first, 1),
        "milliseconds": round(last, 1),
        "growth": round(last / first, 2),
        "queries": max(few["queries"], many["queries"]),
        "limits": {"queries": MOST_QUERIES, "growth": MOST_GROWTH},
    }


def report(figures: dict[str, Any]) -> None:
    """Print one line for each page."""
    for name, seen in figures.items():
        print(
            f"  {name:<110}{seen['milliseconds_first']:>8,.1f} ms{seen['milliseconds']:>8,.1f} ms"
            f"{seen['queries']:>4} queries   {seen['growth']:g} times"
        )
