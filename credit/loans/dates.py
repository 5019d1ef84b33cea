"""Calendar months, added in UTC."""

from __future__ import annotations

import datetime as dt

from dateutil.relativedelta import relativedelta


def add_months(moment: dt.datetime, months: int) -> dt.datetime:
    """`moment` that many calendar months later; the end of a month clamps (31 Jan → 28 Feb)."""
    later: dt.datetime = moment.astimezone(dt.UTC) + relativedelta(months=months)
    return later
