"""Trades of any time, inserted past every guard, and market data of them by plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from itertools import count
from typing import Any
from uuid import UUID

from exchange.core.database import fetch_one
from exchange.core.ids import uuid7
from exchange.tokens.models import Token
from tests.environment.owner import without_guards

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime(2020, 3, 10, 12, tzinfo=UTC)
_numbers = count(1)
_INSERT = """
    INSERT INTO orders_trade (id, seq, token_id, buy_order_id, sell_order_id, taker, price, tokens,
        buyer_value, buyer_fee, seller_value, seller_fee, created_at, document)
    VALUES (%s, %s, %s, %s, %s, 'Buy', %s, %s, 0, 0, 0, 0, %s, '{}')
"""


@dataclass(frozen=True)
class Sold:
    """A trade: its time, price and units; of a raise if `primary`."""

    at: datetime
    price: Decimal
    tokens: Decimal
    primary: bool = False


def sold(at: datetime, price: str | int, tokens: str | int = 1, *, primary: bool = False) -> Sold:
    return Sold(at, Decimal(price), Decimal(tokens), primary)


def insert_trades(token: Token | UUID, trades: Iterable[Sold]) -> list[Sold]:
    """Insert trades of a token with rising numbers, in their order; return them."""
    made = list(trades)
    token_id = token.pk if isinstance(token, Token) else token
    rows = [
        (
            *(uuid7(), next(_numbers), token_id, uuid7()),
            *(None if trade.primary else uuid7(), trade.price, trade.tokens, trade.at),
        )
        for trade in made
    ]
    with without_guards() as cursor:
        cursor.executemany(_INSERT, rows)
    return made


def write_hours(number: int) -> None:
    """Write the candles of at most `number` hours with trades."""
    for _ in range(number):
        row = fetch_one("SELECT write_candles()")
        if row is None or not row[0]:
            return


def random_trades(seed: int, begin: datetime, end: datetime, number: int) -> list[Sold]:
    """Return trades of one token at random times in order, many at whole minutes, hours and days.

    The first tenth are of its raise. Several have the same time, and long parts are without any.
    """
    dice = random.Random(seed)
    span = (end - begin) / timedelta(microseconds=1)
    # Most in few places, so that most hours are empty.
    places = [dice.uniform(0, span) for _ in range(max(number // 12, 1))]
    times = []
    for _ in range(number):
        near = dice.choice(places) + dice.gauss(0, 1) * 60_000_000 * 40
        at = begin + timedelta(microseconds=int(min(max(near, 0), span - 1)))
        rough = dice.choice([None, None, None, MINUTE, 5 * MINUTE, HOUR, DAY])
        times.append(at if rough is None else EPOCH + (at - EPOCH) // rough * rough)
    return [
        Sold(
            at=at,
            price=Decimal(dice.randint(1, 10**6)).scaleb(-dice.choice([0, 2, 8])),
            tokens=Decimal(dice.randint(1, 10**6)).scaleb(-dice.choice([0, 4, 8])),
            primary=place < number // 10,
        )
        for place, at in enumerate(sorted(times))
        if begin <= at < end
    ]


def plain_candles(
    trades: Sequence[Sold], width: timedelta, begin: datetime, end: datetime
) -> list[dict[str, Any]]:
    """Return the candles of whole intervals from `begin` to `end`, by the definition."""
    found: dict[datetime, list[Sold]] = {}
    for trade in trades:
        if not trade.primary and begin <= trade.at < end:
            found.setdefault(EPOCH + (trade.at - EPOCH) // width * width, []).append(trade)
    return [
        {"starts_at": start, **_summary(within), "close": within[-1].price}
        for start, within in sorted(found.items())
    ]


def plain_ticker(trades: Sequence[Sold], now: datetime) -> dict[str, Any]:
    """Return what a ticker says of the trades, by the definition."""
    known = [trade for trade in trades if not trade.primary]
    within = [trade for trade in known if trade.at >= now - DAY]
    last = known[-1].price if known else None
    ticker = {"last": last, "last_at": known[-1].at if known else None}
    if not within:
        nothing = dict.fromkeys(("open", "high", "low", "vwap", "change", "percentage"))
        return ticker | nothing | {"volume": 0, "value": 0, "trades": 0}
    summary = _summary(within)
    change = known[-1].price - summary["open"]
    return {
        **ticker,
        **summary,
        "vwap": _to_8(summary["value"], summary["volume"]),
        "change": change,
        "percentage": _to_8(100 * change, summary["open"]),
    }


def _summary(trades: Sequence[Sold]) -> dict[str, Any]:
    with localcontext(prec=100):
        return {
            "open": trades[0].price,
            "high": max(trade.price for trade in trades),
            "low": min(trade.price for trade in trades),
            "volume": sum(trade.tokens for trade in trades),
            "value": sum(trade.price * trade.tokens for trade in trades),
            "trades": len(trades),
        }


def _to_8(value: Decimal, by: Decimal) -> Decimal:
    with localcontext(prec=200, rounding=ROUND_HALF_EVEN):
        return (value / by).quantize(Decimal("1e-8"))
