"""The client of the guide in the style of trading libraries, against the running service."""

import importlib.util
import time
from decimal import Decimal
from typing import Any

import pytest

from config.api_docs.guide import EXAMPLES
from orders.market.services import write_candles
from tests.environment.services import Service
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, assert_books_hold

pytestmark = pytest.mark.slow

FILE = EXAMPLES / "trading_library" / "unified_trading.py"
LONGEST = 300
DAY = 86_400_000


def load() -> Any:
    """Return the example as a module."""
    spec = importlib.util.spec_from_file_location("unified_trading", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def client_of(module: Any, service: Service, caller: ApiCaller) -> Any:
    return module.Exchange(service.base_url, caller.token)


def test_it_is_short():
    assert len(FILE.read_text().splitlines()) <= LONGEST


def test_every_method_against_the_service(live_service: Service):
    module = load()
    buyer, seller = make_caller(), make_caller()
    token = make_token(buy_fee=Decimal(1), sell_fee=Decimal(1))
    Wallet(buyer.organisation).fund(100_000, token.currency_id)
    give_units(token, Wallet(seller.organisation), 100)
    buys, sells = (client_of(module, live_service, caller) for caller in (buyer, seller))

    symbol = f"{token.symbol}/{token.currency_id}"
    market = buys.load_markets()[symbol]
    assert (market["id"], market["base"], market["taker"]) == (
        str(token.id),
        token.symbol,
        Decimal("0.01"),
    )
    assert buys.fetch_ticker(symbol)["last"] is None

    ask = sells.create_order(symbol, "limit", "sell", Decimal(5), Decimal("101.5"))
    assert (ask["status"], ask["remaining"], ask["side"]) == ("open", 5, "sell")
    assert buys.fetch_order_book(symbol)["asks"] == [[Decimal("101.5"), 5]]
    ask = sells.edit_order(ask["id"], symbol, Decimal(4), Decimal(101))
    assert (ask["price"], ask["amount"]) == (101, 4)

    bought = buys.create_order(symbol, "market", "buy", Decimal(1))
    assert (bought["status"], bought["average"], bought["fee"]["cost"]) == (
        "closed",
        101,
        Decimal("1.01"),
    )
    spent = buys.create_order(symbol, "market", "buy", None, cost=Decimal(205))
    assert spent["cost"] + spent["fee"]["cost"] <= 205
    assert sells.fetch_order(ask["id"])["filled"] == 1 + spent["filled"]

    ticker = buys.fetch_tickers()[symbol]
    assert (ticker["last"], ticker["baseVolume"], ticker["ask"]) == (101, 1 + spent["filled"], 101)
    trades = buys.fetch_trades(symbol)
    assert [trade["amount"] for trade in trades] == [1, spent["filled"]]
    fills = sells.fetch_my_trades(symbol, since=round(time.time() * 1000) - DAY)
    assert [fill["takerOrMaker"] for fill in fills] == ["maker", "maker"]
    assert {fill["order"] for fill in fills} == {ask["id"]}
    [candle] = buys.fetch_ohlcv(symbol, "1d")
    assert candle[1:] == [101, 101, 101, 101, 1 + spent["filled"]]
    write_candles()
    assert buys.fetch_ohlcv(symbol, "1d", since=candle[0], limit=1) == [candle]

    balance = buys.fetch_balance()
    assert balance[token.symbol]["total"] == 1 + spent["filled"]
    paid = bought["cost"] + bought["fee"]["cost"] + spent["cost"] + spent["fee"]["cost"]
    assert balance[token.currency_id]["free"] == 100_000 - paid
    rest = [buys.create_order(symbol, "limit", "buy", Decimal(1), Decimal(n)) for n in (90, 91)]
    assert [order["id"] for order in buys.fetch_open_orders(symbol)] == [
        each["id"] for each in rest
    ]
    assert buys.cancel_order(rest[0]["id"], symbol)["status"] == "canceled"
    assert buys.cancel_all_orders(symbol) == 1
    assert buys.fetch_open_orders() == []

    for error, call in {
        "BadSymbol": lambda: buys.fetch_ticker("NONE/NGN"),
        "InsufficientFunds": lambda: buys.create_order(
            symbol, "limit", "buy", Decimal(10**6), Decimal(100)
        ),
        "OrderNotFound": lambda: buys.edit_order(rest[0]["id"], symbol, Decimal(2)),
    }.items():
        with pytest.raises(getattr(module, error)):
            call()
    assert_books_hold()
