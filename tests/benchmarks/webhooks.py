"""Webhooks a second: as many posts to ten endpoints of an organisation as to one.

A program emits events and delivers them as the worker does, to a receiver in its own process. All
is on one durable database.
"""

import json
from statistics import median
from typing import Any

from tests.benchmarks.installation import Installation

# Posts a second of the measurement's length.
_POSTS_A_SECOND = 100


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return medians and the raw rounds of one interleaved run."""
    del connections  # a run has one
    posts = max(100, round(seconds * _POSTS_A_SECOND))
    installation.environment |= {"WEBHOOK_ALLOW_LOCAL": "true"}
    found = json.loads(
        installation.python("tests.benchmarks.webhooks_program", str(posts), str(rounds))
    )
    return {
        kind: {
            "per_second": {name: round(median(values), 1) for name, values in rates.items()},
            "rounds": {name: [round(each, 1) for each in values] for name, values in rates.items()},
        }
        for kind, rates in found.items()
    }


def report(figures: dict[str, Any]) -> None:
    """Print one line for each rate."""
    for kind, seen in figures.items():
        for name, rate in seen["per_second"].items():
            print(f"  {kind:<20}{name:<14}{rate:>8,.1f}/s")
