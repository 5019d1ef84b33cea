"""Periods of the books: whole months and days in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """From day `first` to day `last`, inclusive."""

    first: date
    last: date

    @classmethod
    def month_of(cls, day: date) -> Period:
        """Return the month that `day` is in."""
        first = day.replace(day=1)
        return cls(first, (first + 31 * _DAY).replace(day=1) - _DAY)

    @property
    def previous(self) -> Period:
        """The month before a month; before other days, as many days."""
        if self == Period.month_of(self.first):
            return Period.month_of(self.first - _DAY)
        return Period(self.first - (self.last - self.first) - _DAY, self.first - _DAY)

    @property
    def begins(self) -> datetime:
        """The first instant."""
        return datetime.combine(self.first, time(), UTC)

    @property
    def ends(self) -> datetime:
        """The instant after the last."""
        return datetime.combine(self.last, time(), UTC) + _DAY

    def __str__(self) -> str:
        if self == Period.month_of(self.first):
            return f"{self.first:%B %Y}"
        days = f"{self.last.day} {self.last:%B %Y}"
        return days if self.first == self.last else f"{self.first.day} {self.first:%B %Y} to {days}"
