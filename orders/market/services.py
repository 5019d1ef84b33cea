"""Write the candles of closed hours."""

from exchange.core.database import fetch_one

# About a month of hours. Bounds one run of the task after an upgrade.
MAX_HOURS = 750


def write_candles() -> int:
    """Write the candles of closed hours, each hour in a transaction; return the number of calls.

    What one run does not reach is left to the next one.
    """
    for done in range(1, MAX_HOURS + 1):
        row = fetch_one("SELECT write_candles()")
        if row is None or not row[0]:
            return done
    return MAX_HOURS
