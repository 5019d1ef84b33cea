"""What has changed of the books, trades and tickers that the readers of a process follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import close_old_connections, connection, transaction
from django.utils import timezone

from exchange.api.responses import RawJSON
from exchange.core.database import fetch_all
from orders.book.selectors import Book, read_book
from orders.book.shapes import MAX_LEVELS
from orders.market.selectors import read_tickers

# Of one token in half a second; readers of more fetch the others.
_MOST_TRADES = 500


@dataclass(frozen=True, slots=True)
class Position:
    """What is known of a token: the number of its book, and of its last trade."""

    seq: int
    trade: int


@dataclass(frozen=True, slots=True)
class Change:
    """A token as it is now, and its trades since the position that was known.

    `complete` is False where there are more of these than are sent.
    """

    token: UUID
    position: Position
    book: Book
    trades: list[RawJSON]
    complete: bool
    ticker: Mapping[str, Any]


def read_changes(known: Mapping[UUID, Position | None]) -> list[Change]:
    """Return the tokens whose book has another number than is known, or of which nothing is known.

    Raises `DatabaseError`.
    """
    close_old_connections()
    with transaction.atomic(), connection.cursor() as cursor:
        # One snapshot, in which a book and its trades belong to its number.
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute(_SEQUENCES, [list(known)])
        changed = [
            (token, known[token])
            for token, seq in cursor.fetchall()
            if (position := known[token]) is None or position.seq != seq
        ]
        return [_read_change(token, position) for token, position in changed]


def _read_change(token: UUID, known: Position | None) -> Change:
    book = read_book(token, MAX_LEVELS)
    [ticker] = read_tickers([token], timezone.now())
    [[last]] = fetch_all(_LAST_TRADE, [token])
    trades = [] if known is None else fetch_all(_TRADES, [token, known.trade, _MOST_TRADES + 1])
    return Change(
        token=token,
        position=Position(book["seq"], last),
        book=book,
        trades=[RawJSON(text) for (text,) in trades[:_MOST_TRADES]],
        complete=len(trades) <= _MOST_TRADES,
        ticker=ticker,
    )


_SEQUENCES = """
    SELECT w.id, coalesce(s.seq, 0)
    FROM unnest(%s::uuid[]) w (id) LEFT JOIN orders_booksequence s ON s.token_id = w.id
"""
_LAST_TRADE = "SELECT coalesce(max(seq), 0) FROM orders_trade WHERE token_id = %s"
_TRADES = """
    SELECT document FROM orders_trade WHERE token_id = %s AND seq > %s ORDER BY seq LIMIT %s
"""
