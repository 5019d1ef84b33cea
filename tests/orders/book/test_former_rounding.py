"""Orders that traded before charges were rounded against the trader (decision 22).

`change_rule` trades by the former half-even rule until it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings

from config.books import CHECKS
from orders.book.models import Order, Trade
from tests.environment.database import session
from tests.factories.traders import make_trader
from tests.factories.wallets import assert_books_hold
from wallets.ledger import proof as books

pytestmark = pytest.mark.django_db(transaction=True)

CENT = Decimal("0.01")
SQL = Path(settings.BASE_DIR) / "orders" / "book" / "sql"

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
_ANEW = ("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
_TODAY = "ALTER TABLE orders_trade ALTER COLUMN half_even SET DEFAULT false;"

Change = Callable[[], None]


@pytest.fixture
def change_rule() -> Iterator[Change]:
    """Start under the former rule; the call switches to the current one."""

    def to_today() -> None:
        with session("owner") as owner:
            owner.execute(_TODAY + (SQL / "order_rounding.sql").read_text().replace(*_ANEW))

    with session("owner") as owner:
        owner.execute(_FORMER)
    try:
        yield to_today
    finally:
        to_today()


def test_orders_filled_under_both_rules_total_their_fills(change_rule):
    """The buyer's fee was lost under the former rule, and is charged with the next fill."""
    seller, buyer = make_trader(), make_trader(100)
    token = seller.issue(buy_fee=Decimal("0.2"), sell_fee=Decimal("0.25"))
    bid = buyer.place(token, "Buy", 1, 5)
    seller.place(token, "Sell", 1, Decimal("1.9949"))
    assert buyer.balance("KES") + buyer.balance("KES", "reserved") == Decimal("98.01")
    change_rule()
    assert Trade.objects.filter(half_even=True).count() == 1
    assert_books_hold()
    seller.place(token, "Sell", 1, Decimal("1.9949"))
    order = Order.objects.get(id=bid)
    # 3.9898 and a fee of 0.0079796.
    assert (order.charged, order.charged_fee) == (Decimal("3.99"), CENT)
    assert buyer.balance("KES", "reserved") == Decimal("5.01") - 4
    assert seller.balance("KES") == Decimal("1.99") + Decimal("1.98")
    assert_books_hold()


def test_a_seller_who_had_received_more_gives_nothing_back(change_rule):
    seller, buyer = make_trader(), make_trader(1)
    token = seller.issue(sell_fee=Decimal("33.3333"))
    ask = seller.place(token, "Sell", CENT, 100)
    buyer.place(token, "Buy", CENT, Decimal("1.5"))
    assert seller.balance("KES") == 2 * CENT
    change_rule()
    received = []
    for _ in range(4):
        buyer.place(token, "Buy", CENT, 1)
        received.append(seller.balance("KES"))
        assert_books_hold()
    # 2.5, 3.5, 4.5 and 5.5 cents less a third, rounded down.
    assert received == [2 * CENT, 2 * CENT, 3 * CENT, 3 * CENT]
    order = Order.objects.get(id=ask)
    assert (order.charged, order.charged_fee) == (5 * CENT, 2 * CENT)


def test_the_fee_of_a_seller_who_had_received_more_stays_as_it_is(change_rule):
    seller, buyer = make_trader(), make_trader(1)
    token = seller.issue(sell_fee=Decimal(40))
    ask = seller.place(token, "Sell", CENT, 100)
    buyer.place(token, "Buy", CENT, Decimal("3.51"))
    assert seller.balance("KES") == 3 * CENT
    change_rule()
    buyer.place(token, "Buy", CENT, 1)
    # 4.51 cents less two fifths are 2.7 cents: less than the 3 that were received.
    assert seller.balance("KES") == 3 * CENT
    order = Order.objects.get(id=ask)
    assert (order.charged, order.charged_fee) == (4 * CENT, CENT)
    assert_books_hold()


# --- The proof of books bites --------------------------------------------------------------------

RULE = "every order paid or received the total of its fills, rounded against it"
SUM = "the exchange never pays for rounding, by currency"


def test_orders_rounded_otherwise_are_found(change_rule):
    """Trades by the former rule that are not marked."""
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
    change_rule()


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
