"""The chart of a token's prices and volumes by interval: geometry only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from exchange.admin.chart import LEFT, RIGHT, TOP, Chart, Hint, Mark, Scale, value_scale
from orders.book.admin.show import label_units

# The end of the prices, and both ends of the volumes below them.
_PRICES_END, _VOLUMES_TOP, _BOTTOM, _HEIGHT = 190, 228, 286, 314
# Of the width of an interval.
_GAP = 0.15


@dataclass(frozen=True, slots=True)
class Interval:
    """The trades of an interval; without any, its prices are the close before it."""

    starts_at: datetime
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    value: Decimal
    trades: int


@dataclass(frozen=True, slots=True)
class Period:
    """The time that a chart shows: `count` intervals of `width`, the first one from `start`."""

    start: datetime
    width: timedelta
    count: int

    @property
    def end(self) -> datetime:
        """The end of the last interval."""
        return self.start + self.count * self.width

    def label(self, moment: datetime) -> str:
        """Return the label of the interval that starts at `moment`."""
        return f"{moment:%Y-%m-%d}" if self.width >= timedelta(days=1) else f"{moment:%m-%d %H:%M}"


def candle_chart(
    *,
    title: str,
    description: str,
    period: Period,
    intervals: Sequence[Interval],
    label: Callable[[Decimal], str],
    tooltip: Callable[[Interval], str],
) -> Chart:
    """Lay out the intervals, which follow one another until the end of the period.

    Closes are a line, which goes on where nothing traded; the highest and the lowest price are
    the ends of a bar. `label` formats prices.
    """
    traded = [each for each in intervals if each.trades]
    bounds = [price for each in intervals for price in (each.low, each.high)]
    prices = value_scale(bounds, label, _PRICES_END, TOP)
    most = max(each.volume for each in traded)
    volumes = Scale(Decimal(0), most, _BOTTOM, _VOLUMES_TOP)
    step = (RIGHT - LEFT) / period.count

    def x(interval: Interval, share: float) -> float:
        place = (interval.starts_at - period.start) // period.width
        return round(LEFT + (place + share) * step, 1)

    ranges = [
        f"M{x(each, 0.5)} {prices.position(each.low)}V{prices.position(each.high)}"
        for each in traded
    ]
    closes = [f"V{prices.position(each.close)}H{x(each, 1)}" for each in intervals]
    start = f"M{x(intervals[0], 0)} {prices.position(intervals[0].close)}"
    columns = [
        f"M{x(each, _GAP)} {_BOTTOM}V{volumes.position(each.volume)}H{x(each, 1 - _GAP)}V{_BOTTOM}Z"
        for each in traded
    ]
    return Chart(
        name="market",
        look="candles",
        title=title,
        description=description,
        lines=[
            ("Close", start + "".join(closes)),
            ("Low to high", "".join(ranges)),
            ("Units", "".join(columns)),
        ],
        levels=[
            *prices.marks(label),
            Mark(_BOTTOM, "0"),
            Mark(_VOLUMES_TOP, label_units(most)),
        ],
        labels=_time_labels(period),
        height=_HEIGHT,
        hints=[
            Hint(x(each, 0), TOP, round(step, 1), _BOTTOM - TOP, tooltip(each)) for each in traded
        ],
    )


def _time_labels(period: Period) -> list[Mark]:
    """Return the labels of the first, the middle and the last interval."""
    half = period.count // 2
    middle = LEFT + (half + 0.5) * (RIGHT - LEFT) / period.count
    places = ((0, LEFT), (half, round(middle, 1)), (period.count - 1, RIGHT))
    return [Mark(at, period.label(period.start + place * period.width)) for place, at in places]
