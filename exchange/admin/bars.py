"""Stacked bar charts: geometry only, drawn by `templates/admin/bars.html` without scripts.

A table with the same numbers accompanies each chart, so no content depends on the image.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from exchange.admin.chart import Mark, format_compact

WIDTH, HEIGHT = 720, 180
# Margins for the axis labels.
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 8, 16, 32
_GAP = 0.25
_LABELS = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """One segment of a column: position, series (from 1) and tooltip."""

    x: float
    y: float
    width: float
    height: float
    series: int
    tooltip: str


@dataclass(frozen=True, slots=True)
class Bars:
    """A stacked column chart with its text alternative."""

    template: ClassVar[str] = "admin/bars.html"
    name: str
    title: str
    description: str
    bars: Sequence[Bar]
    series: Sequence[str]
    levels: Sequence[Mark]
    labels: Sequence[Mark]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT


def stacked_bars(
    *,
    name: str,
    title: str,
    description: str,
    series: Sequence[str],
    columns: Sequence[tuple[str, Sequence[int]]],
) -> Bars:
    """Lay out a chart of `columns`: (label, one count per series). `name` is unique on the page."""
    highest = max((sum(counts) for _, counts in columns), default=0)
    top = _round_up(highest)
    floor = HEIGHT - _BOTTOM
    scale = (floor - _TOP) / top
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(columns))
    bars = []
    for index, (label, counts) in enumerate(columns):
        base = float(floor)
        for number, count in enumerate(counts):
            if not count:
                continue
            height = count * scale
            base -= height
            bars.append(
                Bar(
                    x=round(_LEFT + (index + _GAP / 2) * step, 1),
                    y=round(base, 1),
                    width=round(step * (1 - _GAP), 1),
                    height=round(height, 1),
                    series=number + 1,
                    tooltip=f"{label}: {count:,} {series[number].lower()}",
                )
            )
    every = max(1, -(-len(columns) // _LABELS))
    return Bars(
        name=name,
        title=title,
        description=description,
        bars=bars,
        series=series,
        levels=[
            Mark(round(floor - value * scale, 1), format_compact(value))
            for value in sorted({0, top // 2, top})
        ],
        labels=[
            Mark(round(_LEFT + (index + 0.5) * step, 1), label)
            for index, (label, _) in enumerate(columns)
            if index % every == 0
        ],
    )


def _round_up(highest: int) -> int:
    """Return the end of the scale: the next of 2, 4, 10, 20, 40, 100, …, which is even."""
    size = 1
    while True:
        for part in (2, 4, 10):
            if part * size >= highest:
                return part * size
        size *= 10
