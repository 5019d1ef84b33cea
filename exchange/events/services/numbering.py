"""Number committed events, which puts them into the feed (`sql/feed.sql`, decision 63)."""

from exchange.core.database import fetch_one


def number_events() -> int:
    """Number the oldest events without a number, 10,000 at most; return how many.

    Call it outside a transaction, which others would wait for.
    """
    row = fetch_one("SELECT number_events()")
    return row[0] if row else 0
