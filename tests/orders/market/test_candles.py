"""Candles are what plain Python makes of the trades, however much of them is stored."""

import json
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from orders.market.models import Candle, CandleProgress
from orders.market.query import INTERVALS, CandleQuery
from orders.market.selectors import read_candles
from orders.market.services import write_candles
from tests.factories.market_trades import (
    DAY,
    HOUR,
    MINUTE,
    NOON,
    insert_trades,
    plain_candles,
    random_trades,
    sold,
    write_hours,
)

pytestmark = pytest.mark.django_db

LATER = NOON + 100 * DAY
MIDNIGHT = NOON + 12 * HOUR


def read(
    token: Any,
    interval: str,
    begin: datetime,
    end: datetime,
    *,
    now: datetime = LATER,
    fill: bool = False,
) -> list[dict[str, Any]]:
    query = CandleQuery(interval, begin, end, fill)
    text = f"[{read_candles(token, query, now)}]"
    found: list[dict[str, Any]] = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    return [
        {**candle, "starts_at": datetime.fromisoformat(candle["starts_at"])} for candle in found
    ]


def without_final(candles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    assert all(candle.pop("final") for candle in candles)
    return candles


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hours", [0, 1, 2, 9, 10_000])
@pytest.mark.one_in(5)
def test_random_streams_give_what_plain_python_says(seed, hours):
    begin, end = MIDNIGHT - 2 * DAY, MIDNIGHT + DAY
    tokens = {uuid7(): random_trades(10 * seed + n, begin, end, 40 * n) for n in range(3)}
    ordered = sorted(
        ((trade, token) for token, trades in tokens.items() for trade in trades),
        key=lambda pair: pair[0].at,
    )
    for trade, token in ordered:
        insert_trades(token, [trade])
    write_hours(hours)
    for token, trades in tokens.items():
        for interval, width in INTERVALS.items():
            for first, last in (
                (begin, end),
                (MIDNIGHT, MIDNIGHT + DAY),
                (MIDNIGHT - HOUR, MIDNIGHT + HOUR),
                (MIDNIGHT - 5 * MINUTE, MIDNIGHT + 25 * MINUTE),
            ):
                if (last - first) % width:
                    continue
                expected = plain_candles(trades, width, first, last)
                assert without_final(read(token, interval, first, last)) == expected
                assert filled(trades, width, first, last) == without_final(
                    read(token, interval, first, last, fill=True)
                )


def filled(trades: Any, width: timedelta, begin: datetime, end: datetime) -> list[dict[str, Any]]:
    """Fill gaps with the close before, by the definition."""
    found = {candle["starts_at"]: candle for candle in plain_candles(trades, width, begin, end)}
    before = [trade.price for trade in trades if trade.at < begin and not trade.primary]
    close, candles = before[-1] if before else None, []
    while begin < end:
        if begin in found:
            close = found[begin]["close"]
            candles.append(found[begin])
        elif close is not None:
            prices = dict.fromkeys(("open", "high", "low", "close"), close)
            candles.append({"starts_at": begin, **prices, "volume": 0, "value": 0, "trades": 0})
        begin += width
    return candles


@pytest.mark.parametrize("hours", [0, 1, 2, 3])
def test_a_trade_belongs_to_the_day_that_begins_with_it(hours):
    token = uuid7()
    instant = timedelta(microseconds=1)
    insert_trades(
        token,
        [
            sold(MIDNIGHT - instant, "1.5", 2),
            sold(MIDNIGHT, "2.25", 3),
            sold(MIDNIGHT + DAY - instant, 7),
            sold(MIDNIGHT + DAY, 8),
        ],
    )
    write_hours(hours)
    [before, day] = read(token, "1d", MIDNIGHT - DAY, MIDNIGHT + DAY)
    assert (before["starts_at"], before["open"], before["close"]) == (
        MIDNIGHT - DAY,
        Decimal("1.5"),
        Decimal("1.5"),
    )
    assert day == {
        "starts_at": MIDNIGHT,
        "open": Decimal("2.25"),
        "high": 7,
        "low": Decimal("2.25"),
        "close": 7,
        "volume": 4,
        "value": Decimal("13.75"),
        "trades": 2,
        "final": True,
    }
    for interval, width in INTERVALS.items():
        found = read(token, interval, MIDNIGHT - width, MIDNIGHT + width)
        assert [candle["starts_at"] for candle in found] == [MIDNIGHT - width, MIDNIGHT]


@pytest.mark.parametrize("hours", [0, 1, 10_000])
def test_purchases_in_the_raise_do_not_count(hours):
    token, other = uuid7(), uuid7()
    insert_trades(token, [sold(NOON + n * MINUTE, 500, primary=True) for n in range(3)])
    insert_trades(other, [sold(NOON + 3 * MINUTE, 9, primary=True)])
    insert_trades(token, [sold(NOON + 4 * MINUTE, 100, 2), sold(NOON + 2 * HOUR, 90)])
    write_hours(hours)
    assert read(other, "1m", NOON, NOON + HOUR, fill=True) == []
    for interval in INTERVALS:
        [first, *_] = read(token, interval, NOON - NOON.hour * HOUR, NOON + DAY, fill=True)
        assert (first["open"], first["high"]) == (100, 100)
    [minute] = read(token, "1m", NOON, NOON + HOUR)
    assert (minute["starts_at"], minute["volume"], minute["trades"]) == (NOON + 4 * MINUTE, 2, 1)


def test_an_interval_is_final_ten_seconds_after_its_end():
    token = uuid7()
    insert_trades(token, [sold(NOON - MINUTE, 5), sold(NOON, 6)])

    def finals(now: datetime, **more: Any) -> list[bool]:
        return [
            candle["final"]
            for candle in read(token, "1m", NOON - MINUTE, NOON + MINUTE, now=now, **more)
        ]

    seconds = timedelta(seconds=1)
    assert finals(NOON + 9 * seconds) == [False, False]
    assert finals(NOON + 10 * seconds) == [True, False]
    assert finals(NOON + 69 * seconds) == [True, False]
    assert finals(NOON + 70 * seconds) == [True, True]
    filled_in = read(token, "1m", NOON, NOON + 3 * MINUTE, now=NOON + 2 * MINUTE, fill=True)
    assert [candle["final"] for candle in filled_in] == [True, False, False]


def test_numbers_keep_every_digit():
    token = uuid7()
    insert_trades(
        token,
        [sold(NOON, "999999999999999.12345678", "0.00000001"), sold(NOON, "0.00000001", 10**15)],
    )
    value = Decimal("999999999999999.12345678") * Decimal("0.00000001")
    for _ in range(2):
        [candle] = read(token, "1h", NOON, NOON + HOUR)
        assert candle["value"] == value + 10**7
        assert candle["volume"] == Decimal("1000000000000000.00000001")
        assert (candle["high"], candle["low"]) == (
            Decimal("999999999999999.12345678"),
            Decimal("0.00000001"),
        )
        write_candles()
    assert Candle.objects.count() == 1


def test_trades_at_one_time_are_in_the_order_of_their_numbers():
    token = uuid7()
    insert_trades(token, [sold(NOON, price) for price in (7, 3, 9, 4)])
    for _ in range(2):
        for interval in INTERVALS:
            [candle] = read(token, interval, NOON - 12 * HOUR, NOON + 12 * HOUR)
            prices = (candle["open"], candle["high"], candle["low"], candle["close"])
            assert prices == (7, 9, 3, 4)
        write_candles()


def test_a_clock_that_goes_back_minutes_loses_and_doubles_no_trade():
    """Numbers follow the order of trading; times of another server may be some minutes behind."""
    token = uuid7()
    trades = insert_trades(
        token,
        [
            sold(NOON + offset * MINUTE, 100 + n)
            for n, offset in enumerate((-70, -1, 3, -4, 8, 1, 57, 66, 59, 61, 200))
        ],
    )
    by_time = sorted(trades, key=lambda trade: trade.at)
    for _ in range(5):
        for width in (HOUR, MINUTE):
            interval = {HOUR: "1h", MINUTE: "1m"}[width]
            found = read(token, interval, NOON - 2 * HOUR, NOON + 4 * HOUR)
            expected = plain_candles(by_time, width, NOON - 2 * HOUR, NOON + 4 * HOUR)
            assert [
                (c["starts_at"], c["trades"], c["volume"], c["high"], c["low"]) for c in found
            ] == [(c["starts_at"], c["trades"], c["volume"], c["high"], c["low"]) for c in expected]
        write_hours(1)
    assert sum(Candle.objects.values_list("trades", flat=True)) == len(trades)
    assert CandleProgress.objects.count() == 1
