"""Tickers, and candles of any interval: exact, from stored hours and from trades.

Stored hours are complete until the stored progress and never change. Trades are read since then,
and of stored hours that an interval or the 24 hours of a ticker divide, by the numbers of their
first and last one. The index `trade_of_token` covers both, so old trades cost nothing.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from exchange.core.database import read_cursor
from exchange.tokens.models import Token
from exchange.tokens.selectors.tokens import visible_to
from orders.market.payloads import CANDLE
from orders.market.query import CandleQuery

# How long after its end trades of an interval may still be committed.
SETTLING = timedelta(seconds=10)
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
_DECIMALS = 8


def traded_tokens(organisation_id: UUID) -> QuerySet[Token]:
    """Return the tokens in secondary trading that the organisation sees."""
    tokens = Token.objects.filter(secondaries=True, closed=False, exited=False, cancelled=False)
    return visible_to(tokens, organisation_id)


def read_candles(token_id: UUID, query: CandleQuery, now: datetime) -> str:
    """Return the candles of a token, oldest first, as JSON texts joined by commas.

    With `fill` also of intervals where nothing traded, after the first trade of the token.
    """
    if query.end <= query.start:
        return ""
    period = _period(query.start, query.end, query.start if query.width >= _HOUR else query.end)
    period |= {"token": token_id, "width": query.width, "fill": query.fill}
    [row] = _read(_CANDLES, {**period, "last_final": now - SETTLING - query.width})
    text: str = row["text"]
    return text


def read_tickers(token_ids: Sequence[UUID], now: datetime) -> list[dict[str, Any]]:
    """Return the tickers of tokens, in their order, with the 24 hours until `now`."""
    begin = now - _DAY
    period = _period(begin, None, _floor_hour(begin) + _HOUR)
    rows = _read(_TICKERS, {**period, "tokens": list(token_ids)})
    return [_to_ticker(row) for row in rows]


def _to_ticker(row: dict[str, Any]) -> dict[str, Any]:
    first, last, volume = row["open"], row["last"], row["volume"]
    change = None if first is None else last - first
    return {
        "token": row["token"],
        "last": last,
        "last_at": row["last_at"],
        "open": first,
        "high": row["high"],
        "low": row["low"],
        "vwap": _divide(row["value"], volume) if volume else None,
        "change": change,
        "percentage": None if change is None else _divide(100 * change, first),
        "volume": volume,
        "value": row["value"],
        "trades": row["trades"],
        "bid": _best_price(row["bid"], row["bid_tokens"]),
        "ask": _best_price(row["ask"], row["ask_tokens"]),
    }


def _best_price(price: Decimal | None, tokens: Decimal | None) -> dict[str, Decimal] | None:
    return None if price is None or tokens is None else {"price": price, "tokens": tokens}


def _divide(value: Decimal, by: Decimal) -> Decimal:
    """Return the quotient of two exact numbers, rounded half-even to 8 decimals once."""
    units = round(Fraction(value) / Fraction(by) * 10**_DECIMALS)
    return Decimal(f"{units}e-{_DECIMALS}")


def _floor_hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def _period(begin: datetime, end: datetime | None, whole_from: datetime) -> dict[str, Any]:
    """Return the parameters of a period: its stored hours from `whole_from` on are read whole.

    `until` they are complete, and trades since then have numbers above `seq`. Both are read first,
    as PostgreSQL plans for known values; the result is right for later snapshots.
    """
    [progress] = _read(_PROGRESS, {}) or [{"until": "-infinity", "seq": 0}]
    times = {"begin": begin, "end": end or "infinity", "begin_hour": _floor_hour(begin)}
    return {**times, **progress, "whole_from": whole_from}


def _read(statement: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    with read_cursor() as cursor:
        cursor.execute(statement, parameters)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


_PROGRESS = "SELECT until, seq FROM orders_candleprogress"


def _parts_sql(token: str) -> str:
    """Return the SQL of the stored hours and the single trades that make up a token's period."""
    trade = "t.created_at, t.seq, t.seq, t.price, t.price, t.price, t.price, t.tokens"
    return f"""
        SELECT c.starts_at AS at, c.first_seq, c.last_seq, c.open, c.high, c.low, c.close,
               c.volume, c.value, c.trades
        FROM orders_candle c
        WHERE c.token_id = {token} AND c.starts_at >= %(whole_from)s::timestamptz
            AND c.starts_at < least(%(end)s::timestamptz, %(until)s::timestamptz)
        UNION ALL
        SELECT {trade}, t.price * t.tokens, 1
        FROM (
            SELECT min(c.first_seq) AS first, max(c.last_seq) AS last FROM orders_candle c
            WHERE c.token_id = {token} AND c.starts_at >= %(begin_hour)s::timestamptz
                AND c.starts_at
                    < least(%(whole_from)s::timestamptz, %(until)s::timestamptz)
        ) h
        JOIN orders_trade t ON t.token_id = {token} AND t.seq BETWEEN h.first AND h.last
        WHERE t.created_at >= %(begin)s::timestamptz
            AND t.created_at < least(%(whole_from)s::timestamptz, %(until)s::timestamptz)
        UNION ALL
        SELECT {trade}, t.price * t.tokens, 1
        FROM orders_trade t
        WHERE t.token_id = {token} AND t.seq > %(seq)s AND t.sell_order_id IS NOT NULL
            AND t.created_at >= greatest(%(begin)s::timestamptz, %(until)s::timestamptz)
            AND t.created_at < %(end)s::timestamptz
    """  # noqa: S608 - constants


_SUMS = """
    (array_agg(p.open ORDER BY p.first_seq))[1] AS open, max(p.high) AS high, min(p.low) AS low,
    (array_agg(p.close ORDER BY p.last_seq DESC))[1] AS close,
    coalesce(sum(p.volume), 0) AS volume, coalesce(sum(p.value), 0) AS value,
    coalesce(sum(p.trades), 0)::bigint AS trades
"""
# The last price before the period: of a trade since the progress, of one in the stored hour that
# the period divides, or of a stored hour before.
_CLOSE_BEFORE = """
    SELECT coalesce(
        (SELECT t.price FROM orders_trade t
         WHERE t.token_id = %(token)s AND t.seq > %(seq)s AND t.sell_order_id IS NOT NULL
            AND t.created_at >= %(until)s::timestamptz AND t.created_at < %(begin)s
         ORDER BY t.seq DESC LIMIT 1),
        (SELECT t.price FROM orders_trade t
         WHERE t.token_id = %(token)s AND t.created_at < %(begin)s
            AND t.seq >= (SELECT c.first_seq FROM orders_candle c
                          WHERE c.token_id = %(token)s AND c.starts_at = %(begin_hour)s)
            AND t.seq <= (SELECT c.last_seq FROM orders_candle c
                          WHERE c.token_id = %(token)s AND c.starts_at = %(begin_hour)s)
         ORDER BY t.seq DESC LIMIT 1),
        (SELECT c.close FROM orders_candle c
         WHERE c.token_id = %(token)s AND c.starts_at < %(begin_hour)s
         ORDER BY c.starts_at DESC LIMIT 1))
"""


# An interval without trades is part of those since the last one with trades, and has its close.
_CANDLES = f"""
    WITH candle AS (
        SELECT date_bin(%(width)s, p.at, 'epoch') AS starts_at, {_SUMS}
        FROM ({_parts_sql("%(token)s")}) p GROUP BY 1
    ), numbered AS (
        SELECT i.starts_at, c.open, c.high, c.low, c.close, c.volume, c.value, c.trades,
               count(c.close) OVER (ORDER BY i.starts_at) AS part
        FROM generate_series(%(begin)s, %(end)s - %(width)s, %(width)s) i (starts_at)
        LEFT JOIN candle c ON c.starts_at = i.starts_at
        WHERE %(fill)s OR c.starts_at IS NOT NULL
    ), closed AS (
        SELECT n.*, CASE n.part WHEN 0 THEN ({_CLOSE_BEFORE})
                    ELSE first_value(n.close) OVER (PARTITION BY n.part ORDER BY n.starts_at)
                    END AS last
        FROM numbered n
    )
    SELECT coalesce(string_agg({CANDLE.expression("r")}, ',' ORDER BY r.starts_at), '') AS text
    FROM (
        SELECT c.starts_at, coalesce(c.open, c.last) AS open, coalesce(c.high, c.last) AS high,
               coalesce(c.low, c.last) AS low, c.last AS close, coalesce(c.volume, 0) AS volume,
               coalesce(c.value, 0) AS value, coalesce(c.trades, 0) AS trades,
               c.starts_at <= %(last_final)s AS final
        FROM closed c WHERE c.last IS NOT NULL
    ) r
"""  # noqa: S608 - constants


def _best_sql(side: str, order: str) -> str:
    return f"""
        SELECT o.price, sum(o.tokens - o.filled) AS tokens FROM orders_order o
        WHERE o.token_id = w.id AND o.status = 'Active' AND o.type = '{side}'
        GROUP BY o.price ORDER BY o.price {order} LIMIT 1
    """  # noqa: S608 - constants


# Trades of a raise come first, so where the last trade is one of these there are no others.
_TICKERS = f"""
    SELECT w.id AS token, latest.price AS last, latest.created_at AS last_at, period.open,
           period.high, period.low, period.volume, period.value, period.trades,
           bid.price AS bid, bid.tokens AS bid_tokens, ask.price AS ask, ask.tokens AS ask_tokens
    FROM unnest(%(tokens)s::uuid[]) WITH ORDINALITY w (id, place)
    CROSS JOIN LATERAL (SELECT {_SUMS} FROM ({_parts_sql("w.id")}) p) period
    LEFT JOIN LATERAL (
        SELECT t.price, t.created_at, t.sell_order_id FROM orders_trade t
        WHERE t.token_id = w.id ORDER BY t.seq DESC LIMIT 1
    ) latest ON latest.sell_order_id IS NOT NULL
    LEFT JOIN LATERAL ({_best_sql("Buy", "DESC")}) bid ON true
    LEFT JOIN LATERAL ({_best_sql("Sell", "ASC")}) ask ON true
    ORDER BY w.place
"""  # noqa: S608 - constants
