"""The period of a statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from exchange.core.errors import InvalidRequest
from exchange.pdf.printout import print_day, print_time

MAX_DAYS = 366
# Where ids begin.
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_DAY, _MILLISECOND = timedelta(days=1), timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Period:
    """From `begins` to the instant before `ends`; `last` is the start of its last day or moment."""

    begins: datetime
    last: datetime
    ends: datetime

    @classmethod
    def of_days(cls, first: date, last: date) -> Period:
        """Return the period of whole days in UTC, both included."""
        begins, final = (datetime.combine(day, time(), UTC) for day in (first, last))
        return cls(begins, final, final + _DAY)

    @property
    def to(self) -> datetime:
        """The last millisecond of the period."""
        return self.ends - _MILLISECOND

    @property
    def is_of_days(self) -> bool:
        """Whether it consists of whole days."""
        return all(moment.time() == time() for moment in (self.begins, self.ends))

    def check(self, now: datetime) -> None:
        """Raise `InvalidRequest` for a period that is reversed, too long, or of no records."""
        if self.begins < _FIRST:
            raise InvalidRequest.for_field("from", f"from must not be before {_FIRST:%Y-%m-%d}")
        if self.begins > now:
            raise InvalidRequest.for_field("from", "from must not be in the future")
        if self.last > now:
            raise InvalidRequest.for_field("to", "to must not be in the future")
        if self.ends <= self.begins:
            raise InvalidRequest.for_field("to", "to must not be before from")
        if self.ends - self.begins > MAX_DAYS * _DAY:
            raise InvalidRequest.for_field("to", f"to must be at most {MAX_DAYS} days after from")

    def __str__(self) -> str:
        if self.is_of_days:
            first, last = print_day(self.begins), print_day(self.to)
            return first if first == last else f"{first} to {last}"
        return f"{print_time(self.begins)} to {print_time(self.to)}"

    @property
    def file_part(self) -> str:
        """The days of the period, for the name of a file."""
        return f"{self.begins:%Y-%m-%d}-{self.to:%Y-%m-%d}"
