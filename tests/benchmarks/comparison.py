"""Comparison of the present version with an earlier one: ratios, interval, result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from statistics import median
from typing import Any, TypeVar

CONFIDENCE = 0.95
# An interval that lies wholly below this ratio is a loss of speed.
MIN_RATIO = 0.95
OURS = "ours"
BEFORE = "before"

T = TypeVar("T")


@dataclass(frozen=True)
class Comparison:
    """Ratios of the present to the earlier version, one a round, with the median's interval.

    `confidence` is the actual one of the interval: ranks seldom give exactly 95 %, and fewer than
    six rounds give less.
    """

    ratios: list[float]
    median: float
    low: float
    high: float
    confidence: float

    @property
    def slower(self) -> bool:
        """Whether the whole interval lies below the minimum ratio."""
        return self.high < MIN_RATIO

    def figures(self) -> dict[str, Any]:
        """Return the comparison for the result file."""
        return {**asdict(self), "least": MIN_RATIO, "slower": self.slower}


def compare(present: Sequence[float], earlier: Sequence[float]) -> Comparison:
    """Compare the rates of two versions, round by round."""
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
    """Return the median's lower and upper bound among the values, and their confidence.

    The interval of the sign test, which assumes no distribution: the median lies below the k-th
    smallest of n values with the chance that fewer than k of n fair coins show heads. Uses the
    largest k that reaches `CONFIDENCE`, or the whole range if none does.
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
    """Yield every contender in each round, in reverse order every other round."""
    order = list(contenders.items())
    for _ in range(rounds):
        yield from order
        order.reverse()


def add_comparisons(figures: Mapping[str, dict[str, Any]]) -> None:
    """Add the comparison with the earlier version to each scenario."""
    for figure in figures.values():
        raw = figure["rounds"]
        figure["beside"] = compare(raw[OURS], raw[BEFORE]).figures()


def failures(figures: Mapping[str, dict[str, Any]]) -> list[str]:
    """Return what scenarios miss: the earlier version, a ratio to a peer, or a limit."""
    found = []
    for scenario, figure in figures.items():
        result = figure.get("beside")
        if result and result["slower"]:
            found.append(
                f"{scenario}: {result['low']:.3f} to {result['high']:.3f} times the earlier version"
                f" ({result['confidence']:.1%} confidence), wholly below {result['least']:g}"
            )
        for contender, least in figure.get("bars", {}).items():
            times = figure["ours_times"][contender]
            if times < least:
                found.append(f"{scenario}: {times:g} times {contender}, required {least:g}")
        for name, most in figure.get("limits", {}).items():
            if figure[name] > most:
                found.append(f"{scenario}: {name} {figure[name]:g}, at most {most:g}")
    return found
