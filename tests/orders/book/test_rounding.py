"""Rounding of orders: against the trader, whatever the split and counterparties."""

from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from exchange.core.errors import Rejected
from orders.book.models import Order, Trade
from tests.environment.property_tests import examples
from tests.factories.traders import fee_income, make_trader
from tests.factories.wallets import assert_books_hold
from tests.orders.book.streams import UNIT

pytestmark = pytest.mark.django_db

CENT, ZERO = Decimal("0.01"), Decimal(0)


def up(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_CEILING)


def down(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_FLOOR)


def test_sixty_small_buys_pay_their_fees_and_no_less_than_their_seller_receives():
    """60 buys of 1.9949 USD at 0.25 % paid no fee, and 0.29 less than their seller received."""
    seller, buyer = make_trader(), make_trader(1000, currency="USD")
    token = seller.issue(currency="USD", buy_fee=Decimal("0.25"))
    seller.place(token, "Sell", 1, 120)
    for _ in range(60):
        buyer.place(token, "Buy", 1, Decimal("1.9949"))
    paid, received = 1000 - buyer.balance("USD"), seller.balance("USD")
    # Each buy comes to 1.99988725 with its fee, all of the sale to 119.694.
    assert (paid, received) == (120, Decimal("119.69"))
    assert fee_income("USD") == Decimal("0.31")
    assert_books_hold()


def test_a_fill_of_less_than_a_minor_unit_is_not_made_and_one_of_a_minor_unit_is():
    seller, buyer = make_trader(), make_trader(1)
    token = seller.issue(sell_fee=Decimal(50))
    seller.place(token, "Sell", CENT, 10)
    buyer.place(token, "Buy", CENT, 1)
    # The seller's half is nothing yet; the exchange has all of it.
    assert (seller.balance("KES"), fee_income("KES")) == (0, CENT)
    buyer.place(token, "Buy", 2 * CENT, Decimal("0.99"))
    assert Trade.objects.count() == 1
    assert_books_hold()


def test_one_fill_may_have_a_negative_fee_and_the_order_has_none():
    """A fee from rounding up is returned when the next fill is rounded up itself."""
    seller, buyer = make_trader(), make_trader(1)
    token = seller.issue(buy_fee=Decimal(10))
    seller.place(token, "Sell", CENT, 1)
    seller.place(token, "Sell", CENT, Decimal("1.01"))
    buyer.place(token, "Buy", CENT, Decimal("2.01"))
    # One cent costs 2 with its fee; 2.01 cents cost 3 with it, and 3 without.
    found = Trade.objects.order_by("seq").values_list("buyer_value", "buyer_fee")
    assert list(found) == [(CENT, CENT), (2 * CENT, -CENT)]
    order = Order.objects.get(type="Buy")
    assert (order.charged, order.charged_fee, order.reserved) == (3 * CENT, ZERO, ZERO)
    assert_books_hold()


def test_in_a_raise_the_issuer_receives_each_purchase_rounded_up():
    issuer, buyer = make_trader(), make_trader(1000)
    token = issuer.issue(
        raise_amount=Decimal(5000), price_buy=Decimal("1.01"), buy_fee=Decimal("0.25")
    )
    for _ in range(3):
        buyer.place(token, "Buy", "1.01", Decimal("1.5"))
    # 1.515 each, with its fee 1.5187875.
    brought = 3 * Decimal("1.52")
    assert (buyer.balance("KES"), issuer.balance("KES", "raise")) == (1000 - brought, brought)
    assert fee_income("KES") == 0
    assert_books_hold()


# --- However an order is split -------------------------------------------------------------------

percents = st.sampled_from([Decimal(0), Decimal("0.25"), Decimal(50)]) | st.decimals(
    0, 50, places=4
)
parts = st.lists(st.integers(1, 3 * 10**8).map(lambda n: n * UNIT), min_size=1, max_size=7)


class _Undo(Exception):
    """Rolls back what was played."""


def play(
    price: Decimal, fees: tuple[Decimal, Decimal], sells: list[Decimal], buys: list[Decimal]
) -> tuple[Decimal | int, Decimal | int, Decimal]:
    """Place the sells, then the buys, all at one price; return paid, received and earned.

    Both sides earn the exchange at least as much as one order each with the same fills.
    """
    with suppress(_Undo), transaction.atomic():
        seller, buyer = make_trader(), make_trader(10_000)
        token = seller.issue(buy_fee=fees[0], sell_fee=fees[1])
        for side, trader, orders in (("Sell", seller, sells), ("Buy", buyer, buys)):
            for units in orders:
                with suppress(Rejected), transaction.atomic():
                    trader.place(token, side, price, units)
        assert_books_hold()
        for order in Order.objects.filter(status="Active"):
            (buyer if order.type == "Buy" else seller).cancel(order.id)
        totals = (10_000 - buyer.balance("KES"), seller.balance("KES"), fee_income("KES"))
        traded = sum(Trade.objects.values_list("tokens", flat=True), Decimal(0))
        raise _Undo
    value = price * traded
    buy, sell = (value * percent / 100 for percent in fees)
    assert totals[0] >= up(value + buy)
    assert totals[1] <= down(value - sell)
    assert totals[2] == totals[0] - totals[1] >= buy + sell
    return totals


@examples("ROUNDING", 10)
@given(
    price=st.integers(1, 400).map(lambda n: n * CENT),
    fees=st.tuples(percents, percents),
    sells=parts,
    buys=parts,
)
@pytest.mark.slow
def test_no_split_makes_a_buyer_pay_less_or_a_seller_receive_more(price, fees, sells, buys):
    play(price, fees, sells, buys)
    # Either side by one order, and both.
    play(price, fees, [sum(sells)], buys)
    play(price, fees, sells, [sum(buys)])
    units = min(sum(sells), sum(buys))
    paid, received, _ = play(price, fees, [units], [units])
    if price * units >= CENT:
        assert paid == up(price * units * (1 + fees[0] / 100))
        assert received == down(price * units * (1 - fees[1] / 100))
