"""Prices and volumes on a token's page: a chart, its table, and the last trade."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from django.utils.html import format_html

from exchange.admin.base import Section
from exchange.admin.chart import Chart
from exchange.admin.display import age, format_time
from exchange.admin.tabs import MARKET, Choice
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped, format_units, round_half_even
from exchange.tokens.models import Token
from orders.book.admin.show import price_label
from orders.market.admin.candle_chart import Interval, Period, candle_chart
from orders.market.query import INTERVALS, CandleQuery
from orders.market.selectors import read_candles, read_tickers

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER_TRADED = "No trades in the secondary market yet."


@dataclass(frozen=True, slots=True)
class Range:
    """A period that the page offers: its last `count` intervals, the present one included."""

    name: str
    label: str
    interval: str
    count: int


RANGES = (
    Range("24h", "24 hours", "1h", 24),
    Range("30d", "30 days", "1d", 30),
    Range("1y", "1 year", "1d", 365),
)
_DEFAULT = RANGES[1]


def find_range(name: str) -> Range:
    """Return the range of this name; the default one for any other."""
    return next((each for each in RANGES if each.name == name), _DEFAULT)


def price_section(
    token: Token, shown: Range, now: datetime, choices: Sequence[Choice] = ()
) -> Section:
    """Return the prices and volumes of a range, and what the token traded at last."""
    period = _period(shown, now)
    intervals = _read_intervals(token.pk, shown, period, now)
    [ticker] = read_tickers([token.pk], now)
    every = "Day" if shown.interval == "1d" else "Hour"
    title = f"Price and volume, {shown.label}"
    return Section(
        title,
        (f"{every} (UTC)", "Open", "High", "Low", "Close", "Units", "Value", "Trades"),
        [_row(each, token) for each in reversed(intervals) if each.trades],
        right=range(1, 8),
        empty=f"No trades within {shown.label}." if ticker["last"] else _NEVER_TRADED,
        note=f"{every}s without a trade are left out of the table. Purchases in a raise do not"
        " count.",
        tab=MARKET,
        chart=_chart(title, token, period, intervals),
        facts=_ticker_facts(ticker, token),
        choices=choices,
    )


def _period(shown: Range, now: datetime) -> Period:
    width = INTERVALS[shown.interval]
    end = now - (now - _EPOCH) % width + width
    return Period(end - shown.count * width, width, shown.count)


def _read_intervals(token_id: UUID, shown: Range, period: Period, now: datetime) -> list[Interval]:
    """Return the intervals since the first trade of the token, oldest first."""
    query = CandleQuery(shown.interval, period.start, period.end, fill=True)
    text = read_candles(token_id, query, now)
    return msgspec.json.decode(f"[{text}]", type=list[Interval])


def _row(interval: Interval, token: Token) -> tuple[object, ...]:
    prices = (interval.open, interval.high, interval.low, interval.close)
    value = round_half_even(interval.value, token.currency.decimals)
    return (
        format_time(interval.starts_at),
        *(format_money(price, token.currency_id) for price in prices),
        format_grouped(interval.volume),
        format_money(value, token.currency_id),
        f"{interval.trades:,}",
    )


def _chart(title: str, token: Token, period: Period, intervals: Sequence[Interval]) -> Chart | None:
    traded = [each for each in intervals if each.trades]
    if not traded:
        return None
    return candle_chart(
        title=title,
        description=_describe(traded, token),
        period=period,
        intervals=intervals,
        label=price_label(token),
        tooltip=lambda each: _tooltip(each, period, token),
    )


def _describe(traded: Sequence[Interval], token: Token) -> str:
    """Return the alternative text of the chart."""
    first, last, low, high = (
        format_money(price, token.currency_id)
        for price in (
            traded[0].open,
            traded[-1].close,
            min(each.low for each in traded),
            max(each.high for each in traded),
        )
    )
    units = format_units(sum((each.volume for each in traded), Decimal(0)))
    return (
        f"From {first} to {last}, lowest {low}, highest {high}; {units} traded."
        " The table below lists all values."
    )


def _tooltip(interval: Interval, period: Period, token: Token) -> str:
    low, high, close = (
        format_money(price, token.currency_id)
        for price in (interval.low, interval.high, interval.close)
    )
    return (
        f"{period.label(interval.starts_at)}: close {close}, {low} to {high},"
        f" {format_units(interval.volume)}"
    )


def _ticker_facts(ticker: dict[str, Any], token: Token) -> list[tuple[str, object]]:
    """Return the last trade, and what changed in 24 hours."""
    if ticker["last"] is None:
        return [("Last trade", "none")]
    last = format_money(ticker["last"], token.currency_id)
    change = ticker["percentage"]
    return [
        ("Last trade", format_html("{}, {} ago", last, age(ticker["last_at"]))),
        ("Change, 24 hours", "-" if change is None else f"{change:+,.2f} %"),
        ("Volume, 24 hours", format_units(ticker["volume"])),
    ]
