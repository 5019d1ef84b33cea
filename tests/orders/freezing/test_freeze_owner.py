"""A freeze cancels the owner's open orders in the same transaction, and no others."""

import json
from decimal import Decimal
from uuid import UUID

import pytest

from exchange.core.errors import Conflict
from exchange.events.models import Event
from orders.book.models import Order
from tests.assertions.unchanged import table_fingerprints
from tests.factories.api_clients import make_member
from tests.factories.holds import freeze
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import Wallet, assert_books_hold
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db


def statuses(*orders: UUID) -> list[str]:
    found = dict(Order.objects.values_list("id", "status"))
    return [found[order] for order in orders]


def test_open_orders_of_both_sides_are_cancelled_and_released():
    trader = make_trader(10_000, member=True)
    member = trader.wallet.member
    assert member is not None
    tokens = [make_token(currency="KES") for _ in range(2)]
    give_units(tokens[1], trader.wallet, 20)
    buy = trader.place(tokens[0], "Buy", 90, 10)
    sell = trader.place(tokens[1], "Sell", 110, 5)
    other = make_trader(10_000, organisation=trader.wallet.organisation)
    bystander = other.place(tokens[0], "Buy", 90, 10)
    freeze(member)
    assert statuses(buy, sell, bystander) == ["Cancelled", "Cancelled", "Active"]
    assert set(Order.objects.filter(pk__in=[buy, sell]).values_list("reason", flat=True)) == {
        "The account is frozen"
    }
    assert (trader.balance("KES"), trader.balance("KES", "reserved")) == (10_000, 0)
    assert (trader.balance(tokens[1]), trader.balance(tokens[1], "reserved")) == (20, 0)
    events = Event.objects.filter(type="order.cancelled").order_by("id")
    assert {(e.organisation_id, json.loads(e.body)["data"]["reason"]) for e in events} == {
        (trader.wallet.organisation.pk, "The account is frozen")
    }
    assert events.count() == 2
    assert_books_hold()


def test_the_freeze_of_a_currency_cancels_the_orders_priced_in_it():
    trader = make_trader(10_000).wallet.fund(10_000, "NGN")
    kes, ngn = make_token(currency="KES"), make_token(currency="NGN")
    owner = Trader(trader)
    give_units(kes, trader, 5)
    orders = [
        owner.place(kes, "Buy", 90, 10),
        owner.place(kes, "Sell", 110, 5),
        owner.place(ngn, "Buy", 90, 10),
    ]
    freeze(trader.organisation, "KES")
    assert statuses(*orders) == ["Cancelled", "Cancelled", "Active"]
    assert_books_hold()


def test_the_freeze_of_an_organisation_leaves_the_orders_of_its_members():
    own = make_trader(10_000)
    organisation = own.wallet.organisation
    hers = Trader(Wallet(organisation, make_member(organisation)).fund(10_000))
    token = make_token(currency="KES")
    orders = [own.place(token, "Buy", 90, 10), hers.place(token, "Buy", 90, 10)]
    freeze(organisation)
    assert statuses(*orders) == ["Cancelled", "Active"]


def test_a_partly_filled_order_keeps_its_fill():
    seller, buyer = make_trader(), make_trader(10_000)
    token = make_token(currency="KES")
    give_units(token, seller.wallet, 10)
    resting = seller.place(token, "Sell", 100, 10)
    buyer.place(token, "Buy", 100, 4)
    freeze(seller.wallet.organisation)
    order = Order.objects.get(pk=resting)
    assert [order.status, order.filled, order.reserved] == ["Cancelled", 4, 0]
    assert seller.balance(token) == 6
    assert seller.balance("KES") > 0
    assert_books_hold()


def test_a_second_freeze_of_the_same_cancels_nothing():
    trader = make_trader(10_000)
    freeze(trader.wallet.organisation, "KES")
    ngn = make_token(currency="NGN")
    trader.wallet.fund(10_000, "NGN")
    order = trader.place(ngn, "Buy", 90, 10)
    before = table_fingerprints()
    with pytest.raises(Conflict):
        freeze(trader.wallet.organisation, "KES")
    after = table_fingerprints()
    assert {t for t in after if after[t] != before[t]} <= {
        "exchange_staffuser", "exchange_staffuser_user_permissions", "exchange_change",
    }  # fmt: skip
    assert statuses(order) == ["Active"]


def test_a_frozen_owner_without_an_account_is_frozen_too():
    trader = make_trader()
    freeze(trader.wallet.organisation)
    trader.wallet.fund(Decimal(1_000))
    assert trader.balance("KES") == 1_000
    assert Transfer.objects.filter(kind="order_release").count() == 0
