"""Charts of lines and areas: geometry only, drawn by `templates/admin/chart.html`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import ClassVar

WIDTH, HEIGHT = 720, 210
# The ends of the axes; the margins are for their labels.
LEFT, RIGHT, TOP, BOTTOM = 110, WIDTH - 12, 24, HEIGHT - 28


@dataclass(frozen=True, slots=True)
class Mark:
    """An axis label; `at` is its position along the axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Hint:
    """A part of a chart that shows a tooltip."""

    x: float
    y: float
    width: float
    height: float
    tooltip: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values from `low` to `high` to positions from `start` to `end`."""

    low: Decimal
    high: Decimal
    start: float
    end: float

    def position(self, value: Decimal) -> float:
        """Return the position of `value`."""
        share = float((value - self.low) / (self.high - self.low))
        return round(self.start + share * (self.end - self.start), 1)

    def marks(self, label: Callable[[Decimal], str]) -> list[Mark]:
        """Return the labels of both ends and of the middle."""
        values = (self.low, (self.low + self.high) / 2, self.high)
        return [Mark(self.position(value), label(value)) for value in values]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of paths, by their names in the legend, with its text alternative.

    `name` is unique on the page. `look` is a style of `exchange/admin.css`; without one the paths
    are lines.
    """

    template: ClassVar[str] = "admin/chart.html"
    title: str
    description: str
    lines: Sequence[tuple[str, str]]
    levels: Sequence[Mark]
    labels: Sequence[Mark]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = RIGHT
    name: str = "chart"
    look: str = ""
    hints: Sequence[Hint] = ()


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


def value_scale(
    values: Sequence[Decimal], label: Callable[[Decimal], str], start: float, end: float
) -> Scale:
    """Return the scale of `values`, wider where the labels of its ends would not differ."""
    low, high = min(values), max(values)
    if label(low) == label(high):
        margin = abs(high) / 10 or Decimal(1)
        low, high = low - margin, high + margin
    return Scale(low, high, start, end)


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
    scale = value_scale(values, label, BOTTOM, TOP)
    start = times[0].timestamp()
    length = max(until.timestamp() - start, 0.001)

    def x(when: datetime) -> float:
        share = (when.timestamp() - start) / length
        return round(LEFT + share * (RIGHT - LEFT), 1)

    paths = []
    for legend, line in lines:
        path = f"M{x(times[0])} {scale.position(line[0])}"
        for when, value in zip(times[1:], line[1:], strict=True):
            path += f"H{x(when)}V{scale.position(value)}"
        paths.append((legend, f"{path}H{x(until)}"))
    wording = "%Y-%m-%d" if times[0].date() != until.date() else "%Y-%m-%d %H:%M"
    return Chart(
        title=title,
        description=description,
        lines=paths,
        levels=scale.marks(label),
        labels=[Mark(x(when), when.strftime(wording)) for when in (times[0], until)],
        name=name,
    )
