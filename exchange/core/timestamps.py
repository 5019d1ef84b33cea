"""Timestamps of the interface: `YYYY-MM-DDTHH:MM:SS.mmmZ`, always UTC; and of commands."""

from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta, timezone

_WEST_AFRICA = timezone(timedelta(hours=1))
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)


def wire_time(moment: datetime) -> str:
    """Format `moment` (aware) for the interface; milliseconds are cut, not rounded."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def javascript_time(moment: datetime) -> str:
    """Format `moment` like JavaScript's Date.prototype.toString() in West Africa time.

    `Fri Jul 04 2025 08:12:11 GMT+0100 (West Africa Standard Time)`, without a fraction.
    """
    local = moment.astimezone(_WEST_AFRICA)
    return (
        f"{_DAYS[local.weekday()]} {_MONTHS[local.month - 1]} {local:%d} {local.year:04d}"
        f" {local:%H:%M:%S} GMT+0100 (West Africa Standard Time)"
    )


def parse_moment(text: str) -> datetime:
    """Return the moment of a command's argument. Raises ArgumentTypeError without a time zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ArgumentTypeError(
            f"{text!r} is not a time with its zone, such as 2026-11-25T10:00:03Z"
        )
    return moment.astimezone(UTC)
