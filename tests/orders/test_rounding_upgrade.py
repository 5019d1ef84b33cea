"""The upgrade from charges rounded half-even (`orders/migrations/0009_rounding.py`).

`former_rounding` trades as installations did before, by the former rule in place of today's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings

from config.books import CHECKS
from exchange.models import Event
from orders.models import Order, Trade
from tests.support.database import session
from tests.support.market import make_trader
from tests.support.world import assert_books_hold
from wallets.models import Transfer
from wallets.services import books

pytestmark = pytest.mark.django_db(transaction=True)

CENT = Decimal("0.01")
SQL = Path(settings.BASE_DIR) / "orders" / "sql"

_FORMER = """
ALTER TABLE orders_trade ALTER COLUMN half_even SET DEFAULT true;
CREATE OR REPLACE FUNCTION order_value(p_type text, p_value numeric, p_minor numeric)
RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN public.round_half_even(p_value, 2);
CREATE OR REPLACE FUNCTION order_total(
    p_type text, p_value numeric, p_fee_percent numeric, p_minor numeric
) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.round_half_even(p_value, 2) + CASE p_type WHEN 'Buy' THEN 1 ELSE -1 END
    * public.round_half_even(p_value * p_fee_percent / 100, 2);
"""
_TODAY = "ALTER TABLE orders_trade ALTER COLUMN half_even SET DEFAULT false;"

Upgrade = Callable[[], None]


@pytest.fixture
def upgrade() -> Iterator[Upgrade]:
    """Begins before the upgrade; the call makes it."""

    def to_today() -> None:
        with session("owner") as owner:
            owner.execute(_TODAY + (SQL / "order_rounding.sql").read_text())

    def make() -> None:
        to_today()
        with session("owner") as owner:
            owner.execute((SQL / "reserve_anew.sql").read_text())

    with session("owner") as owner:
        owner.execute(_FORMER)
    try:
        yield make
    finally:
        to_today()


def test_an_open_buy_reserves_what_its_rest_can_cost_now(upgrade):
    seller, buyer = make_trader(), make_trader(100)
    token = seller.issue(buy_fee=Decimal("0.25"))
    bid = buyer.place(token, "Buy", 1, Decimal("1.9949"))
    assert buyer.has("KES", "reserved") == Decimal("1.99")
    upgrade()
    assert (buyer.has("KES", "reserved"), buyer.has("KES")) == (2, 98)
    moved = Transfer.objects.get(reference=f"order:{bid}:reserve_anew")
    assert (moved.kind, moved.actor, moved.subject_id) == ("order_reserve", "system:upgrade", bid)
    assert_books_hold()
    seller.place(token, "Sell", 1, 5)
    order = Order.objects.get(id=bid)
    assert (order.status, order.charged, order.charged_fee) == ("Fulfilled", Decimal(2), Decimal(0))
    assert (buyer.has("KES", "reserved"), seller.has("KES")) == (0, Decimal("1.99"))
    assert_books_hold()


def test_what_an_open_buy_reserved_too_much_is_released(upgrade):
    buyer = make_trader(1)
    token = make_trader().issue(buy_fee=Decimal(20))
    bid = buyer.place(token, "Buy", 1, Decimal("0.075"))
    assert buyer.has("KES", "reserved") == 10 * CENT
    upgrade()
    assert (buyer.has("KES", "reserved"), buyer.has("KES")) == (9 * CENT, 91 * CENT)
    assert Transfer.objects.get(reference=f"order:{bid}:reserve_anew").kind == "order_release"
    assert_books_hold()


def test_an_order_whose_owner_cannot_cover_it_is_cancelled_and_told(upgrade):
    buyer = make_trader(Decimal("1.99"))
    token = make_trader().issue(buy_fee=Decimal("0.25"))
    bid = buyer.place(token, "Buy", 1, Decimal("1.9949"))
    assert buyer.has("KES") == 0
    upgrade()
    order = Order.objects.get(id=bid)
    assert (order.status, order.reason) == ("Cancelled", "Its rest could not be reserved anew")
    assert (buyer.has("KES"), buyer.has("KES", "reserved")) == (Decimal("1.99"), 0)
    assert Event.objects.filter(subject_id=bid, type="order.cancelled").count() == 1
    assert_books_hold()


def test_orders_that_reserve_enough_are_left_alone_and_so_is_a_second_upgrade(upgrade):
    buyer = make_trader(1000)
    token = make_trader().issue(buy_fee=Decimal(1))
    buyer.place(token, "Buy", 1, 100)
    buyer.place(token, "Buy", 1, Decimal("1.9949"))
    upgrade()
    made = Transfer.objects.count()
    upgrade()
    assert Transfer.objects.count() == made
    assert buyer.has("KES", "reserved") == 101 + Decimal("2.02")
    assert_books_hold()


def test_orders_filled_before_and_after_come_to_what_their_fills_do(upgrade):
    """The buyer's fee was lost before the upgrade, and is charged with the next fill."""
    seller, buyer = make_trader(), make_trader(100)
    token = seller.issue(buy_fee=Decimal("0.25"), sell_fee=Decimal("0.25"))
    bid = buyer.place(token, "Buy", 1, 5)
    seller.place(token, "Sell", 1, Decimal("1.9949"))
    assert buyer.has("KES") + buyer.has("KES", "reserved") == Decimal("98.01")
    upgrade()
    assert Trade.objects.filter(half_even=True).count() == 1
    assert_books_hold()
    seller.place(token, "Sell", 1, Decimal("1.9949"))
    order = Order.objects.get(id=bid)
    # 3.9898 and a fee of 0.0099745.
    assert (order.charged, order.charged_fee) == (Decimal("3.99"), CENT)
    assert buyer.has("KES", "reserved") == Decimal("5.02") - 4
    assert seller.has("KES") == Decimal("1.99") + Decimal("1.98")
    assert_books_hold()


def test_a_seller_who_had_received_more_gives_nothing_back(upgrade):
    seller, buyer = make_trader(), make_trader(1)
    token = seller.issue(sell_fee=Decimal("33.3333"))
    ask = seller.place(token, "Sell", CENT, 100)
    buyer.place(token, "Buy", CENT, Decimal("1.5"))
    assert seller.has("KES") == 2 * CENT
    upgrade()
    received = []
    for _ in range(4):
        buyer.place(token, "Buy", CENT, 1)
        received.append(seller.has("KES"))
        assert_books_hold()
    # 2.5, 3.5, 4.5 and 5.5 cents less a third, rounded down.
    assert received == [2 * CENT, 2 * CENT, 3 * CENT, 3 * CENT]
    order = Order.objects.get(id=ask)
    assert (order.charged, order.charged_fee) == (5 * CENT, 2 * CENT)


# --- The proof of books bites --------------------------------------------------------------------

RULE = "every order paid or received what its fills come to, rounded against it"
SUM = "over a currency the exchange paid no rounding of orders"


def test_orders_rounded_otherwise_are_found(upgrade):
    """Trades by the former rule that do not say so."""
    seller, buyer = make_trader(), make_trader(1000)
    token = seller.issue(buy_fee=Decimal("0.25"))
    seller.place(token, "Sell", 1, 120)
    for _ in range(60):
        buyer.place(token, "Buy", 1, Decimal("1.9949"))
    assert_books_hold()
    with session("owner") as owner:
        owner.execute("SET LOCAL session_replication_role = replica")
        owner.execute("UPDATE orders_trade SET half_even = false")
    found = books.prove(CHECKS).findings
    assert {finding.check for finding in found} == {RULE, SUM}
    assert [f.found for f in found if f.check == SUM] == ["-0.29"]
    upgrade()


@pytest.mark.parametrize("column", ["charged", "charged_fee"])
def test_an_order_that_was_charged_otherwise_is_found(column):
    seller, buyer = make_trader(), make_trader(1000)
    token = seller.issue(buy_fee=Decimal(1), sell_fee=Decimal(1))
    seller.place(token, "Sell", 1, 120)
    buyer.place(token, "Buy", 1, 100)
    with session("owner") as owner:
        owner.execute("SET LOCAL session_replication_role = replica")
        owner.execute(f"UPDATE orders_order SET {column} = {column} + 0.01 WHERE type = 'Buy'")
    assert RULE in {finding.check for finding in books.prove(CHECKS).findings}
