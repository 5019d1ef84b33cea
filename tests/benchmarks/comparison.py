"""Judges measurements of the present version beside an earlier one: ratios, interval, verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from statistics import median
from typing import Any, TypeVar

CONFIDENCE = 0.95
# A ratio whose whole interval lies below this is a loss of speed.
MIN_RATIO = 0.95
OURS = "ours"
BEFORE = "before"

T = TypeVar("T")


@dataclass(frozen=True)
class Comparison:
    """Ratios of the present to the earlier version, one a round, with the median's interval.

    `confidence` is what the interval really has: whole ranks seldom give 95 % exactly, and fewer
    than six rounds cannot give as much.
    """

    ratios: list[float]
    median: float
    low: float
    high: float
    confidence: float

    @property
    def slower(self) -> bool:
        """Whether the interval lies wholly below the least ratio."""
        return self.high < MIN_RATIO

    def figures(self) -> dict[str, Any]:
        """The comparison as the result file has it."""
        return {**asdict(self), "least": MIN_RATIO, "slower": self.slower}


def compare(present: Sequence[float], earlier: Sequence[float]) -> Comparison:
    """Compare the rates of the same rounds, taken pair by pair."""
    ratios = [ours / before for ours, before in zip(present, earlier, strict=True)]
    low, high, confidence = median_interval(ratios)
    return Comparison(
        ratios=[round(ratio, 4) for ratio in ratios],
        median=round(median(ratios), 4),
        low=round(low, 4),
        high=round(high, 4),
        confidence=round(confidence, 4),
    )


def median_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Bound the median by two of the values; lower, upper, and the confidence they give.

    The interval of the sign test, which assumes no distribution: the median lies below the k-th
    smallest of n values with the chance that fewer than k of n fair coins show heads. The largest
    k that keeps `CONFIDENCE` is taken, or 1, the whole range, where none does.
    """
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        raise ValueError("no median of no values")
    below, rank, outside = 1, 1, 2 * 0.5**count
    while rank < count // 2:
        below += comb(count, rank)
        further = 2 * below * 0.5**count
        if 1 - further < CONFIDENCE:
            break
        rank, outside = rank + 1, further
    return ordered[rank - 1], ordered[count - rank], max(0.0, 1 - outside)


def alternate(contenders: Mapping[str, T], rounds: int) -> Iterator[tuple[str, T]]:
    """Give every contender its turn in each round, in the opposite order every other round."""
    order = list(contenders.items())
    for _ in range(rounds):
        yield from order
        order.reverse()


def add_comparisons(figures: Mapping[str, dict[str, Any]]) -> None:
    """Add to each scenario its comparison with the earlier version, from the rounds of both."""
    for figure in figures.values():
        raw = figure["rounds"]
        figure["beside"] = compare(raw[OURS], raw[BEFORE]).figures()


def failures(figures: Mapping[str, dict[str, Any]]) -> list[str]:
    """Say of each scenario what it falls short of: the earlier version, or a bar beside a peer."""
    found = []
    for scenario, figure in figures.items():
        beside = figure.get("beside")
        if beside and beside["slower"]:
            found.append(
                f"{scenario}: {beside['low']:.3f} to {beside['high']:.3f} times the version before"
                f" ({beside['confidence']:.1%} confidence), wholly below {beside['least']:g}"
            )
        for contender, least in figure.get("bars", {}).items():
            times = figure["ours_times"][contender]
            if times < least:
                found.append(f"{scenario}: {times:g} times {contender}, not {least:g}")
    return found
