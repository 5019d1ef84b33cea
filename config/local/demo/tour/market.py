"""The market steps: the catalogue, a token, its order book, and a purchase."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_UP, Decimal
from itertools import accumulate
from typing import Any

from config.local.demo.tour.client import Api, check, expect

# Words of a name, in any order.
SEARCHED = "equity jollof"
_ALL = "200"


@dataclass
class MarketTour:
    """The market steps for one member; `step` prints a completed step."""

    api: Api
    member: dict[str, Any]
    step: Callable[[str, str], None]

    def run(self) -> None:
        """Run the market steps. Raises TourFailed."""
        self.see_catalogue()
        token = self.search()
        asks = self.see_book(token)
        units, money = self.units_of(token), self.money(token)
        order, levels = self.buy(token, asks)
        bought = order["meta"]["filled"]
        self.see_fills(order)
        paid = self.see_trades(token, bought, levels)
        self.see_holding(token, units + bought, money, paid)

    def see_catalogue(self) -> None:
        """Check the catalogue's totals."""
        page = self.api.get("/v1/api/tokens", limit="1")
        traded = self.api.get("/v1/api/tokens", limit="1", primary_raise="false")
        raising = self.api.get("/v1/api/tokens", limit="1", primary_raise="true")
        check(
            page["count"] == 1 and page["pages"] == page["total"] > 0,
            "the catalogue is empty or its pages do not add up",
        )
        self.step(
            "Tokens",
            f"{page['total']} open: {raising['total']} in their primary raise,"
            f" {traded['total']} in secondaries",
        )

    def search(self) -> dict[str, Any]:
        """Find one token by words of its name."""
        page = self.api.get("/v1/api/token/search", name=SEARCHED, exited="false")
        check(page["total"] == 1, f"a search for {SEARCHED} finds {page['total']} tokens")
        token = dict(page["tokens"][0])
        self.step(
            "Search",
            f"{SEARCHED!r} finds {token['symbol']}, {token['name']}, quoted at"
            f" {token['price']['buy']:,} {token['currency']}",
        )
        return token

    def see_book(self, token: dict[str, Any]) -> list[dict[str, Decimal]]:
        """Check both sides of the book; return the offers, best first."""
        book = self.api.get(f"/v1/orders/token/{token['_id']}/book")
        check(bool(book["bids"] and book["asks"]), f"the book of {token['symbol']} lacks a side")
        bid, ask = book["bids"][0], book["asks"][0]
        check(bid["price"] < ask["price"], "the best bid is not below the best offer")
        self.step(
            "Order book",
            f"bid {bid['tokens']:,} at {bid['price']:,}, offer {ask['tokens']:,} at"
            f" {ask['price']:,}",
        )
        return list(book["asks"])

    def buy(
        self, token: dict[str, Any], asks: list[dict[str, Decimal]]
    ) -> tuple[dict[str, Any], list[dict[str, Decimal]]]:
        """Buy the smallest quantity at the offered prices, filled immediately.

        Returns the order, and the levels of the book that filled it.
        """
        smallest = token["min_trade"]["buy"] / asks[0]["price"]
        units = max(smallest.quantize(Decimal(1), ROUND_UP), Decimal(1))
        depth = list(accumulate(level["tokens"] for level in asks))
        check(depth[-1] >= units, f"less than {units} {token['symbol']} are offered")
        levels = asks[: sum(so_far < units for so_far in depth) + 1]
        response = self.api.post(
            "/v1/orders",
            {
                "token_id": token["_id"],
                "type": "Buy",
                "price": levels[-1]["price"],
                "tokens": units,
                "user_id": self.member["id"],
            },
        )
        order = expect(response, 201)["data"]
        check(
            order["status"] == "Fulfilled" and order["meta"]["filled"] == units,
            f"the order is {order['status']}, {order['meta']['filled']} units of it filled",
        )
        self.step(
            "Order",
            f"{self.member['name']} buys {units:,} at {order['price']:,} {token['currency']}:"
            f" {order['status']}",
        )
        return dict(order), levels

    def see_fills(self, order: dict[str, Any]) -> None:
        """Check that the fills of the order add up to what it says of itself."""
        page = self.api.get(f"/v1/orders/{order['_id']}/fills", limit=_ALL)
        fills, meta = page["fills"], order["meta"]
        check(
            sum(fill["tokens"] for fill in fills) == meta["filled"]
            and sum(fill["value"] for fill in fills) == meta["filled_value"]
            and sum(fill["fee"] for fill in fills) == meta["fee"],
            "the fills do not add up to the order",
        )
        self.step(
            "Fills",
            f"{page['total']}, at {meta['average_price']:,} on average:"
            f" {meta['filled_value']:,} and a fee of {meta['fee']:,}",
        )

    def see_trades(
        self, token: dict[str, Any], units: Decimal, levels: list[dict[str, Decimal]]
    ) -> Decimal:
        """Check that the purchase is the latest trade, at the book's prices; return its value."""
        orders = sum(int(level["orders"]) for level in levels)
        page = self.api.get(f"/v1/orders/token/{token['_id']}/trades", limit=str(orders))
        left, ours = units, []
        for trade in page["trades"]:
            if left > 0:
                ours.append(trade)
                left -= trade["tokens"]
        check(
            left == 0
            and {trade["type"] for trade in ours} == {"Buy"}
            and {trade["price"] for trade in ours} <= {level["price"] for level in levels},
            f"the latest trades of {token['symbol']} are not the purchase",
        )
        self.step(
            "Trade",
            " and ".join(f"{trade['tokens']:,} at {trade['price']:,}" for trade in reversed(ours))
            + f", the latest of {page['total']}",
        )
        return sum((trade["amount"] for trade in ours), Decimal(0))

    def see_holding(
        self, token: dict[str, Any], units: Decimal, money: Decimal, paid: Decimal
    ) -> None:
        """Check the units received, and value and rounded-up fee paid from `money`."""
        due = (paid * (1 + token["buy_fee"] / 100)).quantize(Decimal("0.01"), ROUND_CEILING)
        fee = due - paid
        held, left = self.units_of(token), self.money(token)
        check(held == units, f"{held} units are held, not {units}")
        check(left == money - due, f"{left} is left, not {money - due}")
        self.step(
            "Holding",
            f"{held:,} {token['symbol']}; paid {paid:,} and a fee of {fee:,}",
        )

    def units_of(self, token: dict[str, Any]) -> Decimal:
        """Return the member's units of the token."""
        page = self.api.get(f"/v1/api/members/{self.member['id']}/tokens", limit=_ALL)
        return next(
            (row["balance"] for row in page["tokens"] if row["token"] == token["_id"]), Decimal(0)
        )

    def money(self, token: dict[str, Any]) -> Decimal:
        """Return the member's available balance in the token's currency."""
        rows = self.api.get(f"/v1/api/members/{self.member['id']}/wallet")
        return next(
            Decimal(row["available"]) for row in rows if row["currency"] == token["currency"]
        )
