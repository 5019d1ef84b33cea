"""The exchange behind the unified methods and structures that trading libraries such as CCXT use.

Symbols are `SYMBOL/CURRENCY`, times milliseconds, numbers exact `Decimal`s. `info` is the record of
the API. Further arguments of `create_order` go to the API: `user_id=…` trades for a member.
"""

import json
import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import requests

TIMEFRAMES = {"1m": 60_000, "5m": 300_000, "1h": 3_600_000, "1d": 86_400_000}
Amount = Decimal | None
STATUS = {"Active": "open", "Fulfilled": "closed", "Cancelled": "canceled"}


class ExchangeError(Exception):
    """A request was refused; `code` is its stable name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class InsufficientFunds(ExchangeError):
    """The wallet has too little for an order."""


class OrderNotFound(ExchangeError):
    """There is no such order, or it is closed."""


class BadSymbol(ExchangeError):
    """There is no such token."""


ERRORS = {
    **dict.fromkeys(("insufficient_balance", "insufficient_units"), InsufficientFunds),
    **dict.fromkeys(("order_not_found", "state_conflict"), OrderNotFound),
    "token_not_found": BadSymbol,
}


class Exchange:
    """One organisation's access; `member` limits balances to one of its members."""

    def __init__(self, base_url: str, access_token: str, member: str = "") -> None:
        self.base_url = base_url
        self.member = member
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {access_token}"
        self.markets: dict[str, dict[str, Any]] = {}
        self._symbols: dict[str, str] = {}

    # --- markets ----------------------------------------------------------------------------------

    def load_markets(self, reload: bool = False) -> dict[str, dict[str, Any]]:
        """Return the tokens in secondary trading by symbol."""
        if not self.markets or reload:
            tokens = [t for t in self._all("/v1/api/tokens", "tokens") if t["secondaries"]]
            self.markets = {found["symbol"]: found for found in map(self._market, tokens)}
            self._symbols = {market["id"]: symbol for symbol, market in self.markets.items()}
        return self.markets

    def fetch_ticker(self, symbol: str) -> dict[str, Any]:
        """Return the ticker of a symbol: 24 hours."""
        return self._ticker(self._get(f"/v1/api/token/{self._id(symbol)}/ticker"))

    def fetch_tickers(self) -> dict[str, dict[str, Any]]:
        """Return all tickers by symbol."""
        self.load_markets()
        return {t["symbol"]: t for t in map(self._ticker, self._all("/v1/api/tickers", "tickers"))}

    def fetch_ohlcv(
        self, symbol: str, timeframe: str = "1m", since: int | None = None, limit: int | None = None
    ) -> list[list[Any]]:
        """Return candles: time, open, high, low, close, volume; the last one may still run."""
        query: dict[str, Any] = {"interval": timeframe}
        if since is not None:
            query["from"] = _iso(since)
        if since is not None and limit is not None:
            query["to"] = _iso(since + (limit - 1) * TIMEFRAMES[timeframe])
        found = self._get(f"/v1/api/token/{self._id(symbol)}/candles", **query)["candles"]
        prices = ("open", "high", "low", "close", "volume")
        rows = [[_milliseconds(c["starts_at"]), *(c[name] for name in prices)] for c in found]
        return rows[-limit:] if limit and since is None else rows

    def fetch_order_book(self, symbol: str, limit: int = 20) -> dict[str, Any]:
        """Return both sides of the book as pairs of price and units, and its number."""
        book = self._get(f"/v1/orders/token/{self._id(symbol)}/book", levels=limit)
        bids, asks = ([[a["price"], a["tokens"]] for a in book[side]] for side in ("bids", "asks"))
        return {"symbol": symbol, "nonce": book["seq"], "bids": bids, "asks": asks}

    def fetch_trades(self, symbol: str, limit: int = 50) -> list[dict[str, Any]]:
        """Return the latest trades of all, oldest first."""
        found = self._get(f"/v1/orders/token/{self._id(symbol)}/trades", limit=limit)["trades"]
        return [self._trade(trade, trade["_id"], trade["type"]) for trade in reversed(found)]

    # --- orders -----------------------------------------------------------------------------------

    def create_order(
        self, symbol: str, kind: str, side: str, amount: Amount, price: Amount = None, **params: Any
    ) -> dict[str, Any]:
        """Place a `limit` or `market` order; with `cost` instead of units it spends a sum."""
        body = {
            "token_id": self._id(symbol),
            "order_type": kind,
            "type": side.capitalize(),
            "tokens": amount,
            "price": price,
            **{{"cost": "amount"}.get(k, k): v for k, v in params.items()},
        }
        return self._order(self._call("POST", "/v1/orders", body))

    def edit_order(
        self, order_id: str, _symbol: str, amount: Amount = None, price: Amount = None
    ) -> dict[str, Any]:
        """Give an open order another total (what is filled included) or price."""
        terms = {"tokens": amount, "price": price}
        return self._order(self._call("PATCH", f"/v1/orders/{order_id}", terms))

    def cancel_order(self, order_id: str, _symbol: str = "") -> dict[str, Any]:
        """Cancel the open rest of an order."""
        return self._order(self._call("DELETE", f"/v1/orders/{order_id}"))

    def cancel_all_orders(self, symbol: str = "") -> int:
        """Cancel all open orders, or those of a symbol; return how many."""
        query = f"token_id={self._id(symbol)}" if symbol else "all=true"
        cancelled = 0
        while True:
            found = self._call("DELETE", f"/v1/orders?{query}")
            cancelled += int(found["cancelled"])
            if not found["remaining"] or not found["cancelled"]:
                return cancelled

    def fetch_order(self, order_id: str, _symbol: str = "") -> dict[str, Any]:
        """Return one of the orders."""
        return self._order(self._get(f"/v1/orders/{order_id}"))

    def fetch_open_orders(self, symbol: str = "") -> list[dict[str, Any]]:
        """Return the open orders, oldest first."""
        query = {"token_id": self._id(symbol)} if symbol else {}
        found = self._all("/v1/orders", "orders", status="Active", **query)
        return [self._order(order) for order in reversed(found)]

    def fetch_my_trades(self, symbol: str = "", since: int | None = None) -> list[dict[str, Any]]:
        """Return the fills of the orders, oldest first."""
        query = {"token_id": self._id(symbol)} if symbol else {}
        if since is not None:
            query["created_from"] = _iso(since)
        found = self._all("/v1/orders/fills", "fills", **query)
        return [self._fill(fill) for fill in reversed(found)]

    def fetch_balance(self) -> dict[str, Any]:
        """Return `free`, `used` and `total` by currency and by token symbol."""
        owner = f"/v1/api/members/{self.member}" if self.member else "/v1/api"
        found: dict[str, Any] = {}
        for balance in self._get(f"{owner}/wallet"):
            used = sum(balance[name] for name in ("escrow", "reserved", "lien"))
            found[balance["currency"]] = _balance(balance["available"], used)
        for unit in self._holdings(f"{owner}/{'tokens' if self.member else 'wallet/tokens'}"):
            found[unit["symbol"]] = _balance(unit["available"], unit["reserved"] + unit["lien"])
        return found

    # --- structures -------------------------------------------------------------------------------

    def _market(self, token: dict[str, Any]) -> dict[str, Any]:
        least, price = token["min_trade"], token["min"]
        return {
            "id": token["_id"],
            "symbol": f"{token['symbol']}/{token['currency']}",
            "base": token["symbol"],
            "quote": token["currency"],
            "active": not (token["exited"] or token["cancelled"]),
            "taker": token["buy_fee"] / 100,
            "maker": token["sell_fee"] / 100,
            "precision": {"amount": Decimal("0.00000001")},
            "limits": {"cost": {"min": least["buy"]}, "price": {"min": price["buy"] or None}},
            "info": token,
        }

    def _ticker(self, ticker: dict[str, Any]) -> dict[str, Any]:
        bid, ask = ticker["bid"] or {}, ticker["ask"] or {}
        same = ("last", "open", "high", "low", "vwap", "change", "percentage")
        return {
            "symbol": self._symbols[ticker["token"]],
            "timestamp": _milliseconds(ticker["last_at"]) if ticker["last_at"] else None,
            **{name: ticker[name] for name in same},
            "close": ticker["last"],
            "bid": bid.get("price"),
            "bidVolume": bid.get("tokens"),
            "ask": ask.get("price"),
            "askVolume": ask.get("tokens"),
            "baseVolume": ticker["volume"],
            "quoteVolume": ticker["value"],
            "info": ticker,
        }

    def _order(self, order: dict[str, Any]) -> dict[str, Any]:
        meta = order["meta"]
        return {
            "id": order["_id"],
            "clientOrderId": order.get("client_order_id"),
            "timestamp": _milliseconds(order["createdAt"]),
            "symbol": self._symbols.get(order["token"], order["token"]),
            "type": meta["order_type"],
            "timeInForce": meta["time_in_force"],
            "postOnly": meta["post_only"],
            "side": order["type"].lower(),
            "price": order["price"],
            "amount": meta["tokens"],
            "filled": meta["filled"],
            "remaining": meta["tokens"] - meta["filled"],
            "average": meta["average_price"],
            "cost": meta["filled_value"],
            "fee": {"cost": meta["fee"]},
            "status": STATUS[order["status"]],
            "info": order,
        }

    def _trade(self, record: dict[str, Any], trade_id: str, side: str) -> dict[str, Any]:
        return {
            "id": trade_id,
            "timestamp": _milliseconds(record["createdAt"]),
            "symbol": self._symbols[record["token"]],
            "side": side.lower(),
            "price": record["price"],
            "amount": record["tokens"],
            "cost": record["price"] * record["tokens"],
            "info": record,
        }

    def _fill(self, fill: dict[str, Any]) -> dict[str, Any]:
        own = {"order": fill["order"], "takerOrMaker": fill["liquidity"], "cost": fill["value"]}
        trade = self._trade(fill, fill["trade_id"], fill["type"])
        return {**trade, **own, "fee": {"cost": fill["fee"]}}

    # --- requests ---------------------------------------------------------------------------------

    def _id(self, symbol: str) -> str:
        market = self.load_markets().get(symbol)
        if market is None:
            raise BadSymbol("token_not_found", symbol)
        return str(market["id"])

    def _get(self, path: str, **query: Any) -> Any:
        return self._call("GET", path, query=query)

    def _all(self, path: str, name: str, **query: Any) -> list[dict[str, Any]]:
        """Return all records of a list, read by its cursor."""
        page = self._get(path, use_cursor="true", limit=200, **query)
        found: list[dict[str, Any]] = page[name]
        while page["next_cursor"]:
            page = self._get(path, cursor=page["next_cursor"], limit=200, **query)
            found += page[name]
        return found

    def _holdings(self, path: str) -> list[dict[str, Any]]:
        """Return all holdings, which have pages and no cursor."""
        first = self._get(path, limit=200)
        rest = (self._get(path, limit=200, page=n) for n in range(2, int(first["pages"]) + 1))
        return [holding for page in (first, *rest) for holding in page["tokens"]]

    def _call(self, method: str, path: str, body: Any = None, query: Any = None) -> Any:
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        response = self.session.request(
            method,
            self.base_url + path,
            data=None if body is None else _json(body),
            params=query,
            headers={} if method == "GET" else headers,
            timeout=30,
        )
        answer = json.loads(response.text, parse_float=Decimal, parse_int=Decimal)
        if not response.ok:
            code = response.headers["X-Error-Code"]
            raise ERRORS.get(code, ExchangeError)(code, answer["message"])
        return answer["data"]


def _json(body: dict[str, Any]) -> str:
    """Return `body` without what is None; Decimals keep all their digits."""
    given = {name: value for name, value in body.items() if value is not None}
    texts = (f"{v:f}" if isinstance(v, Decimal) else json.dumps(v) for v in given.values())
    return f"{{{','.join(f'{json.dumps(n)}:{t}' for n, t in zip(given, texts, strict=True))}}}"


def _balance(free: Decimal, used: Decimal) -> dict[str, Decimal]:
    return {"free": free, "used": used, "total": free + used}


def _milliseconds(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()
