"""Batches of orders in one call have the result of single orders, or no effect."""

import contextlib
import json
import random
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from django.db import DatabaseError, transaction

from exchange.core.errors import Rejected
from exchange.tokens.models import Token
from orders.book import services as placing
from orders.book.commands import PlaceOrder
from orders.book.models import Order, Trade
from tests.factories.traders import make_trader
from tests.factories.wallets import assert_books_hold

pytestmark = pytest.mark.django_db

OWNERS = 4


class Ask(NamedTuple):
    """An order: trader, side, price and units."""

    trader: int
    side: str
    price: str
    units: str


class Market:
    """A token of the first trader, who has all units, and traders with little money."""

    def __init__(self, money: str = "8", **more: Any) -> None:
        self.traders = [make_trader(money) for _ in range(OWNERS)]
        self.token: Token = self.traders[0].issue(
            **{"total_supply": Decimal(40), "buy_fee": Decimal(1), **more}
        )

    def command(self, ask: Ask) -> PlaceOrder:
        return self.traders[ask.trader].command(self.token, ask.side, ask.price, ask.units)

    def enter(self, asks: Sequence[Ask]) -> list[bool]:
        """Enter orders in one call; return for each whether it was placed."""
        commands = [self.command(ask) for ask in asks]
        try:
            with transaction.atomic():
                entered = placing._enter_orders.run(commands, 0)
        except DatabaseError:
            return [False] * len(commands)
        return [one.created_id in entered for one in commands]

    def place(self, ask: Ask) -> None:
        """Place a single order, accepted or not."""
        with contextlib.suppress(Rejected):
            self.traders[ask.trader].submit_order(self.token, ask.side, ask.price, ask.units)

    def picture(self) -> list[object]:
        """Return the resulting orders, units and money of all traders."""
        number = {trader.owner_id: n for n, trader in enumerate(self.traders)}
        orders = Order.objects.filter(token=self.token).order_by("seq")
        trades = Trade.objects.filter(token=self.token).order_by("seq")
        return [
            [
                (number[o.owner_id], o.type, o.price, o.tokens, o.status, o.filled, o.reserved)
                for o in orders
            ],
            list(trades.values_list("price", "tokens", "buyer_value", "buyer_fee", "seller_value")),
            [
                (
                    trader.balance("KES"),
                    trader.balance(self.token.id),
                    trader.balance("KES", "reserved"),
                )
                for trader in self.traders
            ],
        ]


def stream(seed: int, count: int) -> Iterator[Ask]:
    """Return orders of few owners at few prices, some nearly worthless.

    First, everyone buys some units of the first trader.
    """
    choose = random.Random(seed)
    for buyer in range(1, OWNERS):
        yield Ask(0, "Sell", "0.5", "8")
        yield Ask(buyer, "Buy", "0.5", "8")
    for _ in range(count):
        yield Ask(
            choose.randrange(OWNERS),
            choose.choice(["Buy", "Sell"]),
            choose.choice(["0.01", "0.02", "0.5", "0.6", "0.7"]),
            choose.choice(["0.4", "1", "1.5", "2", "3"]),
        )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.one_in(3)
def test_batches_have_the_same_result_as_single_orders(seed):
    asks = list(stream(seed, 80))
    alone, together = Market(), Market()
    for ask in asks:
        alone.place(ask)
    choose = random.Random(seed)
    whole = 0
    while asks:
        size = choose.randint(2, 4)
        group, asks = asks[:size], asks[size:]
        entered = together.enter(group)
        whole += all(entered)
        for ask, was in zip(group, entered, strict=True):
            if not was:
                together.place(ask)
    assert whole > 3
    assert together.picture() == alone.picture()
    assert_books_hold()


@pytest.mark.parametrize("units", [(6, 4), (6, 6), (10, 1), (3, 3, 5, 1)])
@pytest.mark.one_in(3)
def test_buys_of_a_raise_in_a_group_share_the_units_that_are_left(units):
    alone, together = (
        Market("20", price_buy=Decimal(1), raise_amount=Decimal(100), total_supply=Decimal(10))
        for _ in range(2)
    )
    asks = [Ask(1 + n % 3, "Buy", "1", str(count)) for n, count in enumerate(units)]
    for ask in asks:
        alone.place(ask)
    for ask, was in zip(asks, together.enter(asks), strict=True):
        if not was:
            together.place(ask)
    assert together.picture() == alone.picture()
    together.token.refresh_from_db()
    assert together.token.completed_raise
    assert_books_hold()


def test_money_spent_within_a_batch_cannot_be_spent_again():
    """No balance is negative between two orders, although the total would suffice."""
    market = Market("15")
    market.enter([Ask(0, "Sell", "10", "1")])
    first, second, paying = (
        Ask(0, "Buy", "5", "2"),
        Ask(0, "Buy", "4", "2"),
        Ask(1, "Buy", "10", "1"),
    )
    assert market.enter([first, second, paying]) == [False, False, False]
    assert Order.objects.filter(token=market.token).count() == 1
    # The money is available only after a payment.
    assert market.enter([first, paying, second]) == [True, True, True]
    assert_books_hold()


def test_an_order_that_closes_a_makers_remainder_ends_its_batch():
    """Later orders would match the maker again."""
    market = Market("100")
    market.enter([Ask(0, "Sell", "0.01", "2.4")])
    market.enter([Ask(1, "Buy", "0.01", "2")])
    entered = market.enter([Ask(1, "Buy", "0.02", "3"), Ask(2, "Buy", "0.02", "1")])
    assert entered == [True, False]
    ask = Order.objects.filter(token=market.token).earliest("seq")
    assert (ask.status, ask.reason) == ("Cancelled", "worth_nothing")
    assert_books_hold()


def test_one_rejected_order_undoes_its_batch():
    market = Market("3")
    with transaction.atomic():
        asks = (Ask(1, "Buy", "1", "1"), Ask(2, "Buy", "1", "9"))
        commands = [market.command(ask) for ask in asks]
        with pytest.raises(DatabaseError), transaction.atomic():
            placing._enter_orders.run(commands, 0)
    assert not Order.objects.filter(token=market.token).exists()
    assert market.traders[1].balance("KES") == 3


def test_each_order_gets_its_own_response():
    market = Market("100")
    asks = (Ask(1, "Buy", "1", "1"), Ask(2, "Buy", "1", "9"))
    commands = [market.command(ask) for ask in asks]
    responses = placing._enter_orders.run(commands, 0)
    for one in commands:
        assert UUID(json.loads(responses[one.created_id].data)["_id"]) == one.id
