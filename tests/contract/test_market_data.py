"""Tickers and candles over HTTP: their fields, parameters, refusals, and who sees them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.timestamps import wire_time
from exchange.tokens.models import DealAccess, Token
from exchange.tokens.services.tokens import grant_access
from orders.market.services import write_candles
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.lifecycle import set_flags
from tests.factories.market import Market
from tests.factories.market_trades import DAY, HOUR, MINUTE, NOON, insert_trades, sold
from tests.factories.tokens import make_token
from tests.factories.withdrawals import exact_json

pytestmark = pytest.mark.django_db

TICKERS = "/v1/api/tickers"
CANDLE_FIELDS = ["starts_at", "open", "high", "low", "close", "volume", "value", "trades", "final"]
TICKER_FIELDS = [
    *("token", "last", "last_at", "open", "high", "low", "vwap", "change", "percentage"),
    *("volume", "value", "trades", "bid", "ask"),
]


def path(token: Token, part: str) -> str:
    return f"/v1/api/token/{token.id}/{part}"


def get(where: str, caller: ApiCaller | None = None, **query: str) -> Any:
    response = (caller or make_caller()).get(where, {k.rstrip("_"): v for k, v in query.items()})
    assert response.status_code == 200, response.content
    return exact_json(response)["data"]


def candles(token: Token, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = get(path(token, "candles"), None, **query)["candles"]
    return found


def starts(token: Token, **query: str) -> list[str]:
    return [candle["starts_at"][:16] for candle in candles(token, **query)]


def refused(token: Token, message: str, **query: str) -> None:
    response = make_caller().get(
        path(token, "candles"), {k.rstrip("_"): v for k, v in query.items()}
    )
    assert_error(response, 400, "invalid_request", message)


def test_a_ticker_says_what_traded_and_what_can_be_traded():
    market = Market()
    for price, tokens in ((100, 2), (104, 3), (98, 5)):
        market.sell(price=price, tokens=tokens)
        market.buy(price=price, tokens=tokens)
    market.buy(price=97.5, tokens=4)
    market.sell(price=105, tokens=1.5)
    ticker = get(path(market.token, "ticker"))
    assert list(ticker) == TICKER_FIELDS
    trades = get(market.path("/trades"))["trades"]
    assert ticker == {
        "token": str(market.token.id),
        "last": 98,
        "last_at": trades[0]["createdAt"],
        "open": 100,
        "high": 104,
        "low": 98,
        "vwap": Decimal("100.2"),
        "change": -2,
        "percentage": -2,
        "volume": 10,
        "value": 1002,
        "trades": 3,
        "bid": {"price": Decimal("97.5"), "tokens": 4},
        "ask": {"price": 105, "tokens": Decimal("1.5")},
    }
    [listed] = get(TICKERS)["tickers"]
    assert listed == ticker
    last = candles(market.token, interval="1d")[-1]
    assert list(last) == CANDLE_FIELDS
    assert (last["close"], last["final"]) == (98, False)


def test_a_token_that_never_traded_has_a_ticker_of_nulls():
    token = make_token()
    ticker = get(path(token, "ticker"))
    assert list(ticker) == TICKER_FIELDS
    counted = {"volume": 0, "value": 0, "trades": 0}
    assert ticker == dict.fromkeys(TICKER_FIELDS) | counted | {"token": str(token.id)}
    assert candles(token, fill="true") == []


def test_a_raise_counts_in_neither():
    market = Market(raise_amount=Decimal(50_000))
    market.buy(price=100, tokens=20)
    assert len(get(market.path("/trades"))["trades"]) == 1
    ticker = get(path(market.token, "ticker"))
    assert (ticker["last"], ticker["volume"]) == (None, 0)
    assert candles(market.token, interval="1m") == []
    assert get(TICKERS)["tickers"] == []


def test_the_list_has_the_visible_tokens_in_secondary_trading_newest_first():
    caller = make_caller()
    shown = [make_token() for _ in range(3)]
    for state in ("closed", "exited", "cancelled"):
        set_flags(make_token(), **{state: True})
    make_token(secondaries=False)
    make_token(raise_amount=Decimal(1000))
    hidden = make_token(deal_access=DealAccess.PRIVATE)
    expected = [str(token.id) for token in reversed(shown)]

    def listed(who: ApiCaller, **query: str) -> list[str]:
        return [ticker["token"] for ticker in get(TICKERS, who, **query)["tickers"]]

    assert listed(caller) == expected
    assert listed(caller, sort="token") == expected[::-1]
    assert listed(caller, limit="2", page="2") == expected[2:]
    page = get(TICKERS, caller, limit="2", use_cursor="true")
    assert [ticker["token"] for ticker in page["tickers"]] == expected[:2]
    assert listed(caller, limit="2", cursor=page["next_cursor"]) == expected[2:]
    issuer = make_caller(organisation=hidden.issuer)
    assert listed(issuer) == [str(hidden.id), *expected]
    grant_access(token_id=hidden.id, organisation_id=caller.organisation.id)
    assert listed(caller) == [str(hidden.id), *expected]


@pytest.mark.parametrize("part", ["ticker", "candles"])
def test_a_token_is_found_by_those_who_see_it_in_any_state(part):
    token = make_token(deal_access=DealAccess.PRIVATE)
    stranger = make_caller()
    assert_error(stranger.get(path(token, part)), 404, "token_not_found", "Token not found")
    for wrong in ("x", "%00", "0" * 36):
        response = stranger.get(f"/v1/api/token/{wrong}/{part}")
        assert_error(response, 404, "token_not_found", "Token not found")
    assert make_caller(organisation=token.issuer).get(path(token, part)).status_code == 200
    grant_access(token_id=token.id, organisation_id=stranger.organisation.id)
    set_flags(token, exited=True)
    assert stranger.get(path(token, part)).status_code == 200
    # The token is looked for before the parameters are read.
    response = make_caller().get(path(token, "candles"), {"interval": "2m"})
    assert_error(response, 404, "token_not_found")


@pytest.mark.parametrize("where", [TICKERS, "token/ticker", "token/candles"])
def test_it_takes_the_scope_of_orders(where):
    address = where if where == TICKERS else path(make_token(), where.partition("/")[2])
    caller = make_caller(scopes=["tokens:read"])
    assert_error(caller.get(address), 403, "insufficient_scope")
    assert make_caller(scopes=["orders:read"]).get(address).status_code == 200


def test_intervals_are_those_that_contain_from_and_to():
    token = make_token()
    insert_trades(token, [sold(NOON + n * 10 * MINUTE, 100 + n) for n in range(-10, 20)])
    day = {"from_": "2020-03-10", "to": "2020-03-10"}
    for _ in range(2):
        assert starts(token, interval="1d", **day) == ["2020-03-10T00:00"]
        assert starts(token, **day)[:2] == ["2020-03-10T10:00", "2020-03-10T11:00"]
        times = {"from_": "2020-03-10T12:07:30Z", "to": "2020-03-10T12:20:00.000Z"}
        assert starts(token, interval="5m", **times) == ["2020-03-10T12:10", "2020-03-10T12:20"]
        assert starts(token, interval="1m", **times) == ["2020-03-10T12:10", "2020-03-10T12:20"]
        assert starts(token, interval="1h", **times) == ["2020-03-10T12:00"]
        at_once = {"from_": "2020-03-10T14:30:15+01:00", "to": "2020-03-10T13:30:15Z"}
        [same] = candles(token, interval="1h", **at_once)
        assert (same["starts_at"], same["open"]) == ("2020-03-10T13:00:00.000Z", 106)
        write_candles()


def test_what_is_left_out_is_the_most_that_is_allowed():
    token = make_token()
    insert_trades(
        token,
        [
            sold(NOON, 1),
            sold(NOON + 999 * MINUTE, 2),
            sold(NOON + 1000 * MINUTE, 3),
            sold(NOON + 1001 * MINUTE, 4),
        ],
    )
    later = wire_time(NOON + 1000 * MINUTE)
    filled = candles(token, interval="1m", from_=wire_time(NOON), fill="true")
    assert len(filled) == 1000
    assert (filled[0]["open"], filled[998]["close"], filled[999]["close"]) == (1, 1, 2)
    assert [c["open"] for c in candles(token, interval="1m", to=later)] == [2, 3]
    assert [c["open"] for c in candles(token, interval="1m", from_=wire_time(NOON + MINUTE))] == [
        2,
        3,
    ]


def test_the_running_interval_is_not_final_and_none_is_to_come():
    token = make_token()
    now = timezone.now()
    insert_trades(token, [sold(now - 3 * DAY, 5), sold(now, 6)])
    found = candles(token, interval="1d", fill="true", to="9999-12-31")
    assert [candle["close"] for candle in found][:4] == [5, 5, 5, 6]
    assert (found[0]["final"], found[-1]["final"]) == (True, False)
    assert candles(token, from_=wire_time(now + 2 * DAY), fill="true") == []
    assert candles(token, to="1969-12-31") == []
    assert candles(token, from_="0001-01-01", to="0001-01-01", fill="1") == []
    assert candles(token, from_="9999-12-31", fill="true") == []


def test_at_most_a_thousand_intervals_are_returned_at_once():
    token = make_token()
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    insert_trades(token, [sold(begin, 5)])
    for interval, width in (("1m", MINUTE), ("5m", 5 * MINUTE), ("1h", HOUR), ("1d", DAY)):
        first = wire_time(begin)
        last = wire_time(begin + 999 * width)
        found = candles(token, interval=interval, from_=first, to=last, fill="true")
        assert len(found) == 1000
        assert found[-1]["starts_at"] == last
        refused(
            token,
            f"from and to span 1001 intervals of {interval}: at most 1000 are returned at once",
            interval=interval,
            from_=first,
            to=wire_time(begin + 1000 * width),
        )


_TIME = "must be an ISO 8601 date, or a time with its offset"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"interval": "2m"}, "interval must be one of [1m, 5m, 1h, 1d]"),
        ({"interval": "1M"}, "interval must be one of [1m, 5m, 1h, 1d]"),
        ({"interval": "1d "}, "interval must be one of [1m, 5m, 1h, 1d]"),
        ({"from_": "2020-03-10T12:00:00"}, f"from {_TIME}"),
        ({"from_": "yesterday"}, f"from {_TIME}"),
        ({"from_": "2020-02-30"}, f"from {_TIME}"),
        ({"from_": "1583841600"}, f"from {_TIME}"),
        ({"to": "2020-03-10T25:00:00Z"}, f"to {_TIME}"),
        ({"to": "10/03/2020"}, f"to {_TIME}"),
        ({"from_": "2020-03-10", "to": "2020-03-09"}, "to must not be before from"),
        (
            {"from_": "2020-03-10T12:00:00.001Z", "to": "2020-03-10T12:00:00Z"},
            "to must not be before from",
        ),
        ({"fill": "yes"}, "fill must be true or false"),
        (
            {"interval": "x", "from_": "x", "to": "x", "fill": "x"},
            f"interval must be one of [1m, 5m, 1h, 1d]; from {_TIME}; to {_TIME};"
            " fill must be true or false",
        ),
        ({"interva": "1m"}, "Unknown parameter: interva (did you mean interval?)"),
        ({"fill": ""}, "fill must not be empty"),
    ],
)
def test_every_bad_parameter_is_refused_by_name(query, message):
    refused(make_token(), message, **query)


def test_the_24_hours_of_a_ticker_end_now():
    token = make_token()
    now = timezone.now()
    insert_trades(
        token,
        [
            sold(now - DAY - timedelta(minutes=5), 80),
            sold(now - DAY + timedelta(minutes=5), 50),
            sold(now - timedelta(minutes=5), 60),
        ],
    )
    for _ in range(2):
        ticker = get(path(token, "ticker"))
        assert (ticker["open"], ticker["last"], ticker["trades"]) == (50, 60, 2)
        assert (ticker["change"], ticker["percentage"]) == (10, 20)
        write_candles()
