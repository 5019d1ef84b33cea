"""Calendar months, added in UTC."""

from __future__ import annotations

import calendar
import datetime as dt


def add_months(moment: dt.datetime, months: int) -> dt.datetime:
    """`moment` that many calendar months later; the end of a month clamps (31 Jan → 28 Feb)."""
    moment = moment.astimezone(dt.UTC)
    years, month = divmod(moment.month - 1 + months, 12)
    year = moment.year + years
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)
