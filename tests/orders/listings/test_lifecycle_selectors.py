"""Effects of lifecycle actions: open orders, refunds and the version of the raise."""

from decimal import Decimal

import pytest

from orders.listings.selectors import (
    BookSummary,
    Refund,
    list_refunds,
    raise_version,
    summarise_book,
)
from tests.factories import lifecycle
from tests.factories.traders import make_trader
from tests.factories.unjustified_transfers import take_units
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db


def test_an_open_book_counts_and_sums_the_active_orders_of_its_token():
    issuer, buyer = make_trader(10_000), make_trader(10_000)
    token, other = (issuer.issue(buy_fee=Decimal(0)) for _ in range(2))
    assert summarise_book(token) == BookSummary(0, 0, Decimal(0), Decimal(0), None, None)
    buyer.place(token, "Buy", 90, 1)
    buyer.place(token, "Buy", 91, 2)
    buyer.cancel(buyer.place(token, "Buy", 95, 1))
    issuer.place(token, "Sell", 110, 3)
    issuer.place(token, "Sell", 120, 4)
    issuer.place(token, "Sell", 130, 5)
    issuer.cancel(issuer.place(token, "Sell", 101, 6))
    buyer.place(other, "Buy", 99, 1)
    issuer.place(other, "Sell", 100, 1)
    assert summarise_book(token) == BookSummary(
        2, 3, Decimal(272), Decimal(12), Decimal(91), Decimal(110)
    )


def test_refunds_are_what_each_buyer_of_the_raise_paid_and_has_free_the_largest_first():
    issuer = make_trader()
    member, organisation, gone = (
        make_trader(10_000, member=True),
        make_trader(10_000),
        make_trader(10_000),
    )
    token, other = (
        issuer.issue(raise_amount=Decimal(50_000), price_buy=Decimal(100), buy_fee=Decimal(1))
        for _ in range(2)
    )
    assert list_refunds(token) == []
    for trader, units in ((member, 3), (organisation, 10), (member, 4), (gone, 2)):
        trader.place(token, "Buy", 100, units)
    organisation.place(other, "Buy", 100, 5)
    take_units(member.wallet, str(token.id), 1)
    take_units(gone.wallet, str(token.id), 2)
    token.refresh_from_db()
    found = list_refunds(token)
    assert found == [
        Refund(
            owner_id=organisation.owner_id,
            owner=organisation.wallet.organisation.name,
            purchases=1,
            amount=Decimal(1010),
            tokens=Decimal(10),
            available=Decimal(10),
        ),
        Refund(
            owner_id=member.owner_id,
            owner="Ada Obi",
            purchases=2,
            amount=Decimal(707),
            tokens=Decimal(7),
            available=Decimal(6),
        ),
        Refund(
            owner_id=gone.owner_id,
            owner=gone.wallet.organisation.name,
            purchases=1,
            amount=Decimal(202),
            tokens=Decimal(2),
            available=Decimal(0),
        ),
    ]
    assert [refund.is_possible for refund in found] == [True, False, False]


def test_buyers_of_as_much_are_in_the_order_of_their_ids():
    token = make_trader().issue(raise_amount=Decimal(50_000))
    traders = [make_trader(10_000) for _ in range(3)]
    for trader in (traders[1], traders[2], traders[0]):
        trader.place(token, "Buy", 100, 1)
    owners = sorted(trader.owner_id for trader in traders)
    assert [refund.owner_id for refund in list_refunds(token)] == owners


def test_the_version_of_a_raise_has_its_proceeds_and_whether_it_is_complete():
    token = make_trader().issue(raise_amount=Decimal(50_000))
    assert raise_version(token) == "open:0"
    make_trader(10_000).place(token, "Buy", 100, "2.5")
    token.refresh_from_db()
    assert raise_version(token) == "open:250"
    completed = lifecycle.complete_raise(token_id=token.id, user=make_staff("end_token"))
    assert raise_version(completed) == "complete:250"
    assert list_refunds(completed) == []
