"""Tickers are what plain Python makes of the trades of 24 hours, and of the book."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from orders.market.selectors import read_tickers
from tests.factories.market_trades import (
    DAY,
    HOUR,
    MINUTE,
    NOON,
    insert_trades,
    plain_ticker,
    random_trades,
    sold,
    write_hours,
)
from tests.factories.traders import make_trader

pytestmark = pytest.mark.django_db

NO_BOOK: dict[str, Any] = {"bid": None, "ask": None}
NOTHING = dict.fromkeys(("open", "high", "low", "vwap", "change", "percentage"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("hours", [0, 1, 5, 10_000])
@pytest.mark.one_in(5)
def test_random_streams_give_what_plain_python_says(seed, hours):
    tokens = [uuid7() for _ in range(3)]
    streams = {
        token: random_trades(100 + 10 * seed + n, NOON - 2 * DAY, NOON, 60 * n)
        for n, token in enumerate(tokens)
    }
    ordered = sorted(
        ((trade, token) for token, trades in streams.items() for trade in trades),
        key=lambda pair: pair[0].at,
    )
    for trade, token in ordered:
        insert_trades(token, [trade])
    write_hours(hours)
    for now in (NOON, NOON + 17 * MINUTE, NOON + 20 * HOUR, NOON + 24 * HOUR, NOON + 30 * DAY):
        for wanted in (tokens, tokens[::-1], tokens[1:2], []):
            assert read_tickers(wanted, now) == [
                {"token": token, **plain_ticker(streams[token], now), **NO_BOOK} for token in wanted
            ]


@pytest.mark.parametrize("hours", [0, 1, 2])
def test_the_24_hours_begin_at_the_instant_itself(hours):
    token, instant = uuid7(), timedelta(microseconds=1)
    begin = NOON + 17 * MINUTE
    trades = insert_trades(
        token, [sold(begin - instant, 50), sold(begin, 40), sold(begin + instant, 30)]
    )
    write_hours(hours)
    for now, first in (
        (begin + DAY - instant, 50),
        (begin + DAY, 40),
        (begin + DAY + instant, 30),
        (begin + DAY + 2 * instant, None),
    ):
        [ticker] = read_tickers([token], now)
        assert ticker["open"] == first
        assert ticker == {"token": token, **plain_ticker(trades, now), **NO_BOOK}
        assert ticker["last"] == 30, "however old"


def test_a_token_without_secondary_trades_has_no_prices():
    in_raise, unknown = uuid7(), uuid7()
    insert_trades(in_raise, [sold(NOON, 100, primary=True), sold(NOON, 90, primary=True)])
    for _ in range(2):
        assert read_tickers([unknown, in_raise], NOON + HOUR) == [
            {
                "token": token,
                "last": None,
                "last_at": None,
                **NOTHING,
                "volume": 0,
                "value": 0,
                "trades": 0,
                **NO_BOOK,
            }
            for token in (unknown, in_raise)
        ]
        write_hours(1)


def test_averages_and_percentages_are_rounded_half_even_once():
    token = uuid7()
    insert_trades(token, [sold(NOON, 3), sold(NOON, 1), sold(NOON, "1.00000001", "2")])
    [ticker] = read_tickers([token], NOON)
    assert ticker["vwap"] == Decimal("1.5"), "6.00000002 / 4 = 1.500000005"
    assert ticker["change"] == Decimal("-1.99999999")
    assert ticker["percentage"] == Decimal("-66.66666633")
    other = uuid7()
    insert_trades(other, [sold(NOON, "0.00000003", 2), sold(NOON, "0.00000002", 2)])
    [ticker] = read_tickers([other], NOON)
    assert ticker["vwap"] == Decimal("0.00000002")
    third = uuid7()
    insert_trades(third, [sold(NOON, "0.00000001"), sold(NOON, 10**15)])
    [ticker] = read_tickers([third], NOON)
    assert ticker["percentage"] == (10**15 - Decimal("0.00000001")) * 10**10


def test_the_best_prices_are_those_of_the_book_with_all_units_at_them():
    trader, other = make_trader(100_000), make_trader(100_000)
    token, quiet = trader.issue(), trader.issue()
    for price, tokens in ((90, 3), (95, 2), (95, "1.5"), (94, 9)):
        other.place(token, "Buy", price, tokens)
    for price, tokens in ((101, 4), (100, 2), (100, "0.25"), (103, 7)):
        trader.place(token, "Sell", price, tokens)
    trader.place(token, "Sell", 95, 1)
    [none, ticker] = read_tickers([quiet.id, token.id], NOON + 30_000 * DAY)
    assert (none["bid"], none["ask"]) == (None, None)
    assert ticker["bid"] == {"price": 95, "tokens": Decimal("2.5")}
    assert ticker["ask"] == {"price": 100, "tokens": Decimal("2.25")}
    assert ticker["last"] == 95
    assert ticker["trades"] == 0
