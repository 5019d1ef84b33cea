"""Query parameters of candles."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from exchange.api.filters import FlagParameter, Parameter, TimestampParameter
from exchange.api.parameters import parse_parameters
from exchange.core.errors import InvalidRequest

INTERVALS = {
    "1m": timedelta(minutes=1),
    "5m": timedelta(minutes=5),
    "1h": timedelta(hours=1),
    "1d": timedelta(days=1),
}
DEFAULT_INTERVAL = "1h"
MAX_CANDLES = 1_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEP = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class CandleQuery:
    """Intervals of one length, from the start of the first one to the end of the last one."""

    interval: str
    start: datetime
    end: datetime
    fill: bool

    @property
    def width(self) -> timedelta:
        """The length of an interval."""
        return INTERVALS[self.interval]


class _IntervalParameter(Parameter):
    """The name of an interval. Case counts: `1M` is a month elsewhere."""

    def parse(self, text: str) -> str:
        if text not in INTERVALS:
            raise ValidationError(f"must be one of [{', '.join(INTERVALS)}]")
        return text


_FIELDS: dict[str, forms.Field] = {
    "interval": _IntervalParameter(required=False),
    "from": TimestampParameter(step=_STEP, end=False, required=False),
    "to": TimestampParameter(step=_STEP, end=True, required=False),
    "fill": FlagParameter(required=False),
}


def read_query(parameters: QueryDict, now: datetime) -> CandleQuery:
    """Return the intervals from the one that contains `from` to the one that contains `to`.

    None begins after `now`. Without `from` or `to` it is the most on that side. Raises
    `InvalidRequest` for more, and a 400 that names every bad parameter.
    """
    values = parse_parameters(parameters, _FIELDS)
    interval: str = values["interval"] or DEFAULT_INTERVAL
    width = INTERVALS[interval]
    begin, end = values["from"], values["to"]
    if begin and end and end <= begin:
        raise InvalidRequest.for_field("to", "to must not be before from")
    # Counted from 1970, before which nothing traded.
    last = (now - _EPOCH) // width
    if end:
        last = min(last, (end - _STEP - _EPOCH) // width)
    first = max((begin - _EPOCH) // width if begin else last - MAX_CANDLES + 1, 0)
    if begin and end is None:
        last = min(last, first + MAX_CANDLES - 1)
    if last - first >= MAX_CANDLES:
        raise InvalidRequest.for_field(
            "to",
            f"from and to span {last - first + 1} intervals of {interval}: at most {MAX_CANDLES}"
            " are returned at once",
        )
    last = max(last, first - 1)
    return CandleQuery(
        interval, _EPOCH + first * width, _EPOCH + (last + 1) * width, bool(values["fill"])
    )
