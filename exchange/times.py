"""How times look on the wire: `YYYY-MM-DDTHH:MM:SS.mmmZ`, always UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def wire_time(moment: datetime) -> str:
    """`moment` (aware) as the interface writes it, milliseconds cut, not rounded."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
