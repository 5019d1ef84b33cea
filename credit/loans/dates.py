"""Calendar arithmetic in UTC."""

import datetime as dt

from dateutil.relativedelta import relativedelta


def add_months(moment: dt.datetime, months: int) -> dt.datetime:
    """Return `moment` plus calendar months, clamped to the end of the month (31 Jan → 28 Feb)."""
    later: dt.datetime = moment.astimezone(dt.UTC) + relativedelta(months=months)
    return later
