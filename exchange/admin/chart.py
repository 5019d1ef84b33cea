"""Step charts of prices over time: geometry only, drawn by `templates/admin/chart.html`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import ClassVar

WIDTH, HEIGHT = 720, 200
# Margins for the axis labels.
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 12, 14, 28


@dataclass(frozen=True, slots=True)
class Mark:
    """An axis label; `at` is its position along the axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A step chart with its text alternative. `name` is unique on the page."""

    template: ClassVar[str] = "admin/chart.html"
    title: str
    description: str
    lines: Sequence[tuple[str, str]]
    levels: Sequence[Mark]
    times: Sequence[Mark]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    bottom: int = HEIGHT - _BOTTOM
    name: str = "chart"


# Unit, its size, and the least number that is written with it.
_UNITS: Sequence[tuple[str, int, int]] = (
    ("bn", 10**9, 10**9),
    ("m", 10**6, 10**6),
    ("k", 10**3, 10**4),
)


def format_compact(number: Decimal | int) -> str:
    """Format a number for an axis: `950`, `12.5 k`, `7.52 m`, `1.2 bn`."""
    magnitude = abs(Decimal(number))
    for unit, size, least in _UNITS:
        if magnitude >= least:
            return f"{round(number / size, 2):,f}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{number:,f}" if isinstance(number, Decimal) else f"{number:,}"


def step_chart(
    *,
    title: str,
    description: str,
    times: Sequence[datetime],
    lines: Sequence[tuple[str, Sequence[Decimal]]],
    until: datetime,
    label: Callable[[Decimal], str],
    name: str = "chart",
) -> Chart | None:
    """Lay out a chart of `lines`: (name, one value per time, oldest first).

    Each value applies until the next time. `label` formats values. Return None with fewer than two
    times.
    """
    values = [value for _, line in lines for value in line]
    if len(times) < 2:
        return None
    low, high = min(values), max(values)
    if label(low) == label(high):
        # Too close for the labels to differ.
        margin = abs(high) / 10 or Decimal(1)
        low, high = low - margin, high + margin
    start = times[0].timestamp()
    length = max(until.timestamp() - start, 0.001)

    def x(when: datetime) -> float:
        share = (when.timestamp() - start) / length
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)

    def y(value: Decimal) -> float:
        share = float((value - low) / (high - low))
        return round(HEIGHT - _BOTTOM - share * (HEIGHT - _BOTTOM - _TOP), 1)

    paths = []
    for legend, line in lines:
        path = f"M{x(times[0])} {y(line[0])}"
        for when, value in zip(times[1:], line[1:], strict=True):
            path += f"H{x(when)}V{y(value)}"
        paths.append((legend, f"{path}H{x(until)}"))
    middle = (low + high) / 2
    wording = "%Y-%m-%d" if times[0].date() != until.date() else "%Y-%m-%d %H:%M"
    return Chart(
        title=title,
        description=description,
        lines=paths,
        levels=[Mark(y(value), label(value)) for value in (low, middle, high)],
        times=[Mark(x(when), when.strftime(wording)) for when in (times[0], until)],
        name=name,
    )
