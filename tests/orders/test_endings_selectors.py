"""What a person is shown before a token's trading ends: its own book and its own buyers only."""

from __future__ import annotations

from decimal import Decimal

import pytest

from orders.selectors.endings import OpenBook, open_book, refunds
from orders.services import endings
from tests.factories.traders import make_trader
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db

D = Decimal


def test_a_book_without_orders_holds_nothing():
    token = make_trader().issue()
    assert open_book(token) == OpenBook(0, 0, D(0), D(0), None, None)


def test_a_book_is_of_its_token_and_of_orders_that_are_open():
    issuer, buyer = make_trader(10_000), make_trader(10_000)
    token, other = issuer.issue(buy_fee=D(1)), issuer.issue()
    buyer.place(other, "Buy", 50, 1)
    issuer.place(other, "Sell", 150, 1)
    for price in (90, 80):
        buyer.place(token, "Buy", price, 2)
    buyer.cancel(buyer.place(token, "Buy", 95, 2))
    for price in (120, 110):
        issuer.place(token, "Sell", price, 3)
    assert open_book(token) == OpenBook(2, 2, D("343.40"), D(6), D(90), D(110))


def test_refunds_are_of_the_tokens_own_sales_with_the_fee_the_largest_first():
    issuer = make_trader()
    one, other = make_trader(10_000), make_trader(10_000, member=True)
    first, second = (
        issuer.issue(price_buy=D(100), raise_amount=D(50_000), buy_fee=D(1)) for _ in range(2)
    )
    for trader, token, units in (
        (one, first, 2), (other, first, 5), (one, first, 1), (one, second, 7),
    ):  # fmt: skip
        trader.place(token, "Buy", 100, units)
    found = [(r.owner_id, r.purchases, r.amount, r.tokens, r.free) for r in refunds(first)]
    assert found == [
        (other.owner_id, 1, D(505), D(5), D(5)),
        (one.owner_id, 2, D(303), D(3), D(3)),
    ]
    assert all(refund.possible for refund in refunds(first))
    assert [(r.owner_id, r.amount) for r in refunds(second)] == [(one.owner_id, D(707))]
    assert refunds(first)[0].owner == str(other.wallet.member)
    endings.complete_raise(token_id=second.id, user=make_staff("end_token"))
    second.refresh_from_db()
    assert refunds(second) == []
