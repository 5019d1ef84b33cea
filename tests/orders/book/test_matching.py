"""Worked examples of matching: exact prices, charges, reservations and closing."""

from decimal import Decimal
from uuid import UUID

import pytest
from django.db import connection, transaction

from exchange.core.errors import Rejected
from exchange.tokens.models import Token
from orders.book.models import Order, Trade
from tests.factories.api_clients import make_caller
from tests.factories.traders import Trader, fee_income, make_trader
from tests.factories.wallets import assert_books_hold
from wallets.ledger.models import Account, Entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def issuer() -> Trader:
    return make_trader(100_000)


@pytest.fixture
def buyer() -> Trader:
    return make_trader(100_000, member=True)


def state(order_id: UUID) -> tuple[object, ...]:
    """Return status, filled units, reservation, and the reason of a cancellation."""
    order = Order.objects.get(id=order_id)
    return order.status, order.filled, order.reserved, order.reason


def trades(token: Token) -> list[tuple[object, object]]:
    """Return price and units of each trade, in order."""
    return list(Trade.objects.filter(token=token).order_by("seq").values_list("price", "tokens"))


def test_an_order_trades_at_the_resting_price_and_pays_no_more(issuer, buyer):
    token = issuer.issue(buy_fee=Decimal(1), sell_fee=Decimal(2))
    ask = issuer.place(token, "Sell", "90", 10)
    bid = buyer.place(token, "Buy", "100", 4)
    assert trades(token) == [(90, 4)]
    assert state(ask) == ("Active", 4, 6, "")
    assert state(bid) == ("Fulfilled", 4, 0, "")
    # 360 and a fee of 3.60; the issuer gets 360 less 7.20.
    assert (buyer.balance("KES"), buyer.balance(token.id)) == (Decimal("99636.40"), 4)
    assert (issuer.balance("KES"), issuer.balance(token.id)) == (Decimal("100352.80"), 990)
    assert fee_income("KES") == Decimal("10.80")
    assert_books_hold()


def test_a_resting_buy_keeps_reserved_what_its_rest_and_its_fee_can_cost(issuer, buyer):
    token = issuer.issue(buy_fee=Decimal(1))
    issuer.place(token, "Sell", "90", 4)
    bid = buyer.place(token, "Buy", "100", 10)
    # Filled for 360, the rest costs 600 at most; the fee of all is 9.60, 3.60 of it charged.
    assert state(bid) == ("Active", 4, 606, "")
    assert buyer.balance("KES", "reserved") == 606
    assert buyer.balance("KES") == 100_000 - Decimal("363.60") - 606
    issuer.place(token, "Sell", "95", 6)
    assert trades(token) == [(90, 4), (100, 6)]
    assert state(bid)[:3] == ("Fulfilled", 10, 0)
    assert (buyer.balance("KES", "reserved"), buyer.balance("KES")) == (
        0,
        100_000 - Decimal("969.60"),
    )
    assert_books_hold()


def test_the_best_price_comes_first_then_who_came_first(issuer, buyer):
    token = issuer.issue()
    late, early_dear, early = (
        issuer.place(token, "Sell", price, 1) for price in ("101", "102", "101")
    )
    cheap = issuer.place(token, "Sell", "100", 1)
    buyer.place(token, "Buy", "102", 4)
    sold = Trade.objects.filter(token=token).order_by("seq").values_list("sell_order_id", flat=True)
    assert list(sold) == [cheap, late, early, early_dear]
    assert_books_hold()


def test_fills_add_up_to_what_one_fill_would_have_cost(issuer, buyer):
    token = issuer.issue(buy_fee=Decimal("1.5"), sell_fee=Decimal("1.5"))
    ask = issuer.place(token, "Sell", "0.05", "3.3")
    for _ in range(11):
        buyer.place(token, "Buy", "0.05", "0.3")
    # 0.165 in all, rounded down, though each of the buyer's orders comes to 0.015, rounded up.
    order = Order.objects.get(id=ask)
    assert (order.status, order.charged, order.charged_fee) == (
        "Fulfilled",
        Decimal("0.16"),
        Decimal(0),
    )
    paid = sum(t.buyer_value for t in Trade.objects.filter(token=token))
    assert paid == Decimal("0.22")
    # The difference is the exchange's.
    assert fee_income("KES") == Decimal("0.06")
    assert_books_hold()


def test_an_order_that_meets_its_own_owner_is_stopped(issuer, buyer):
    key = make_caller(organisation=issuer.wallet.organisation).key
    same = Trader(issuer.wallet, key.id)
    token = issuer.issue()
    bids = [buyer.place(token, "Buy", "101", 2), issuer.place(token, "Buy", "100", 2)]
    ask = same.place(token, "Sell", "99", 5)
    assert trades(token) == [(101, 2)]
    assert state(ask) == ("Cancelled", 2, 0, "self_trade")
    assert [state(bid)[0] for bid in bids] == ["Fulfilled", "Active"]
    assert_books_hold()


def test_a_resting_order_whose_rest_is_worth_nothing_makes_way(issuer, buyer):
    token = issuer.issue()
    ask = issuer.place(token, "Sell", "0.01", "2.4")
    buyer.place(token, "Buy", "0.01", 2)
    assert state(ask) == ("Active", 2, Decimal("0.4"), "")
    behind = issuer.place(token, "Sell", "0.02", 5)
    bid = buyer.place(token, "Buy", "0.02", 3)
    assert state(ask) == ("Cancelled", 2, 0, "worth_nothing")
    assert state(bid)[0] == "Fulfilled"
    assert state(behind)[:2] == ("Active", 3)
    assert trades(token) == [(Decimal("0.01"), 2), (Decimal("0.02"), 3)]
    assert issuer.balance(token.id, "reserved") == 2
    assert_books_hold()


def test_an_order_rests_when_all_it_met_was_worth_nothing():
    seller, one, other = make_trader(), make_trader(10), make_trader(10)
    token = seller.issue()
    ask = seller.place(token, "Sell", "0.01", "1.5")
    one.place(token, "Buy", "0.01", 1)
    bid = other.place(token, "Buy", "0.01", 5)
    assert Order.objects.get(id=ask).status == "Cancelled"
    assert Order.objects.get(id=bid).status == "Active"
    assert_books_hold()


def test_an_incoming_order_ends_where_its_rest_is_worth_nothing(issuer, buyer):
    token = issuer.issue()
    ask = issuer.place(token, "Sell", "0.01", 10)
    bid = buyer.place(token, "Buy", "0.02", "0.4")
    assert state(bid) == ("Cancelled", 0, 0, "worth_nothing")
    assert state(ask)[:2] == ("Active", 0)
    assert trades(token) == []
    assert buyer.balance("KES") == 100_000
    assert_books_hold()


def test_fees_are_those_of_the_moment_the_order_was_placed(issuer, buyer):
    token = issuer.issue(buy_fee=Decimal(1), sell_fee=Decimal(1))
    issuer.place(token, "Sell", "100", 10)
    Token.objects.filter(id=token.id).update(buy_fee=Decimal(3), sell_fee=Decimal(3))
    buyer.place(token, "Buy", "100", 10)
    trade = Trade.objects.get(token=token)
    assert [trade.buyer_fee, trade.seller_fee] == [30, 10]
    assert_books_hold()


def test_a_cancelled_order_gives_back_what_its_rest_had_reserved(issuer, buyer):
    token = issuer.issue(buy_fee=Decimal(1))
    bid = buyer.place(token, "Buy", "100", 10)
    issuer.place(token, "Sell", "100", 4)
    buyer.cancel(bid)
    assert state(bid) == ("Cancelled", 4, 0, "")
    assert buyer.balance("KES") == 100_000 - 404
    assert_books_hold()


def test_what_an_owner_cannot_pay_or_deliver_is_refused_whole(issuer, buyer):
    token = issuer.issue(buy_fee=Decimal(1))
    issuer.place(token, "Sell", "100", 1000)
    before = (buyer.balance("KES"), Order.objects.count(), Entry.objects.count())
    # At the resting price it could pay; it must be able to at its own.
    with pytest.raises(Rejected) as refused, transaction.atomic():
        buyer.place(token, "Buy", "100.01", 1000)
    assert (refused.value.code, str(refused.value)) == (
        "insufficient_balance",
        "Insufficient KES balance. Available: 100000, requested: 101010.1",
    )
    with pytest.raises(Rejected) as refused, transaction.atomic():
        buyer.place(token, "Sell", "100", 1)
    assert (refused.value.code, str(refused.value)) == (
        "insufficient_units",
        "Insufficient units. Available: 0, requested: 1",
    )
    assert (buyer.balance("KES"), Order.objects.count(), Entry.objects.count()) == before
    assert_books_hold()


def test_every_entry_records_the_balance_after_it(issuer, buyer):
    """One order moves one account several times: for each fill, and for its remainder."""
    token = issuer.issue(buy_fee=Decimal(1))
    for price in ("90", "91", "92"):
        issuer.place(token, "Sell", price, 2)
    buyer.place(token, "Buy", "95", 10)
    for account in Account.objects.exclude(owner_id=None):
        running = Decimal(0)
        for entry in Entry.objects.filter(account=account).order_by("id"):
            running += entry.amount
            assert entry.balance_after == running
        assert account.balance == running
    assert_books_hold()


# --- The primary raise ---------------------------------------------------------------------------


def test_a_raise_is_complete_when_what_it_lacks_buys_no_unit(issuer):
    """0.11 is less than the price of 0.00000001 unit."""
    price = Decimal("11000000.03")
    token = issuer.issue(
        price_buy=price,
        raise_amount=Decimal(770_000),
        total_supply=Decimal(10),
    )
    rich = make_trader(10**9)
    order = rich.place(token, "Buy", price, 5)
    token.refresh_from_db()
    assert state(order) == ("Cancelled", Decimal("0.06999999"), 0, "raise_sold_out")
    assert (token.total_raised, token.completed_raise) == (Decimal("769999.90"), True)
    assert issuer.balance("KES") == 100_000 + Decimal("769999.90")
    assert issuer.balance(token.id) == 10 - Decimal("0.06999999")
    assert_books_hold()


def test_an_order_worth_less_than_a_minor_unit_buys_nothing_of_a_raise(issuer):
    token = issuer.issue(price_buy=Decimal(1), raise_amount=Decimal(100), total_supply=Decimal(100))
    order = make_trader(10).place(token, "Buy", 1, "0.006")
    assert state(order) == ("Cancelled", 0, 0, "worth_nothing")
    token.refresh_from_db()
    assert not token.completed_raise
    assert_books_hold()


def test_a_raise_brings_no_more_than_it_was_to_bring(issuer):
    """PostgreSQL's quotient of such numbers has eight decimals, the last one rounded."""
    price, amount = Decimal("9000000.07"), Decimal("950000000000000.01")
    with connection.cursor() as cursor:
        cursor.execute("SELECT trunc(%s / %s, 8) * %s > %s + 0.01", [amount, price, price, amount])
        assert cursor.fetchone() == (True,)
    token = issuer.issue(price_buy=price, raise_amount=amount, total_supply=Decimal(10**9))
    rich = make_trader(Decimal(10) ** 15)
    rich.place(token, "Buy", price, Decimal(111_000_000))
    token.refresh_from_db()
    assert token.completed_raise
    assert amount - Decimal("0.1") < token.total_raised <= amount
    assert_books_hold()


def test_a_raise_is_complete_when_less_than_the_smallest_purchase_is_left(issuer, buyer):
    token = issuer.issue(
        raise_amount=Decimal(5000),
        min_trade_buy=Decimal(1000),
        offered=Decimal(50),
    )
    buyer.place(token, "Buy", "100", 40)
    token.refresh_from_db()
    assert (token.completed_raise, token.total_raised) == (False, 4000)
    assert issuer.balance("KES", "raise") == 4000
    # 950 would be left.
    with pytest.raises(Rejected) as refused, transaction.atomic():
        buyer.place(token, "Buy", "100", "0.5")
    assert refused.value.code == "below_min_trade"
    buyer.place(token, "Buy", "2000", "0.5")
    token.refresh_from_db()
    assert (token.completed_raise, token.total_raised) == (True, 4050)
    assert (issuer.balance("KES", "raise"), issuer.balance("KES")) == (0, 104_050)
    assert (issuer.balance(token.id, "unsold"), issuer.balance(token.id)) == (0, Decimal("959.5"))
    assert_books_hold()


def test_a_member_of_the_issuer_may_buy_in_its_raise_the_issuer_not(issuer):
    token = issuer.issue(raise_amount=Decimal(5000))
    member = make_trader(1000, organisation=issuer.wallet.organisation, member=True)
    member.place(token, "Buy", "100", 5)
    assert (member.balance(token.id), issuer.balance("KES", "raise")) == (5, 500)
    with pytest.raises(Rejected) as refused, transaction.atomic():
        issuer.place(token, "Buy", "100", 5)
    assert refused.value.code == "own_raise"
    assert_books_hold()
