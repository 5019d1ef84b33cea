"""Interleaved rounds of contenders: what each does a second, and the processor time it takes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.benchmarks.comparison import OURS, alternate
from tests.benchmarks.cpu import CpuMeter
from tests.benchmarks.installation import Installation

# Works for that many seconds; returns what it did and how long that took.
Contender = Callable[[float], tuple[int, float]]


@dataclass(frozen=True)
class Rounds:
    """Of each contender and round: the rate, and the milliseconds of CPU time of one."""

    rates: dict[str, list[float]]
    costs: dict[str, list[dict[str, float]]]

    @property
    def cpu(self) -> dict[str, dict[str, float]]:
        """The median CPU time of each contender, by part."""
        return {
            name: {part: round(median(cost[part] for cost in found), 3) for part in found[0]}
            for name, found in self.costs.items()
        }

    def figures(self) -> dict[str, Any]:
        """Return medians, ratios to the others, CPU time and the raw rounds."""
        return {**summarize(self.rates), "cpu_milliseconds": self.cpu}


def summarize(rates: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return the medians of the rates and the raw rounds; ours, if any, as multiple of others."""
    medians = {name: median(values) for name, values in rates.items()}
    others = {name: value for name, value in medians.items() if name != OURS}
    return {
        "per_second": {name: round(value, 1) for name, value in medians.items()},
        **(
            {"ours_times": {name: round(medians[OURS] / each, 2) for name, each in others.items()}}
            if OURS in medians
            else {}
        ),
        "rounds": {name: [round(value, 1) for value in values] for name, values in rates.items()},
    }


def take_rounds(
    installation: Installation, contenders: Mapping[str, Contender], seconds: float, rounds: int
) -> Rounds:
    """Let the contenders work in turns, after a warm-up of caches, plans and connections."""
    for contender in contenders.values():
        contender(min(seconds, 1))
    meter = CpuMeter(installation)
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    costs: dict[str, list[dict[str, float]]] = {name: [] for name in contenders}
    for name, contender in alternate(contenders, rounds):
        before = meter.read()
        count, took = contender(seconds)
        spent = meter.read()
        rates[name].append(count / took)
        costs[name].append({part: (spent[part] - before[part]) / count * 1000 for part in spent})
    return Rounds(rates, costs)
