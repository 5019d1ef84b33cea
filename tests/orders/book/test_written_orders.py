"""Everything an order writes: its row, the makers' rows, trades, token totals and events."""

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from exchange.events.models import Event
from exchange.tokens.models import Token
from orders.book.models import Order, Trade
from tests.environment.sql_functions import call
from tests.factories.traders import Trader, make_trader

pytestmark = pytest.mark.django_db

D = Decimal
TOKEN_COLUMNS = ("vol_buy", "vol_sell", "supply", "total_allocated", "total_raised")


class NewEvents:
    """The events since its creation, oldest first."""

    def __init__(self) -> None:
        self._before = set(Event.objects.values_list("id", flat=True))

    def now(self) -> list[tuple[str, UUID, UUID, dict[str, Any]]]:
        """Return type, subject, organisation and data of each."""
        events = Event.objects.exclude(id__in=self._before).order_by("id")
        return [
            (e.type, e.subject_id, e.organisation_id, json.loads(e.body)["data"]) for e in events
        ]


def read_totals(token: Token) -> tuple[Any, ...]:
    token.refresh_from_db()
    return tuple(getattr(token, name) for name in TOKEN_COLUMNS)


def sums(order_id: UUID) -> tuple[Any, ...]:
    order = Order.objects.get(pk=order_id)
    return (order.status, order.filled, order.filled_value, order.charged, order.charged_fee,
            order.reserved)  # fmt: skip


def trades(token: Token) -> list[tuple[Any, ...]]:
    """Return of each trade the orders, taker side, price, units and charges."""
    return list(
        Trade.objects.filter(token=token)
        .order_by("seq")
        .values_list(
            "buy_order_id", "sell_order_id", "taker", "price", "tokens",
            "buyer_value", "buyer_fee", "seller_value", "seller_fee",
        )
    )  # fmt: skip


def documents(data: dict[str, Any]) -> dict[str, Any]:
    """Return the ids of an event's records, and the reason of a closed order."""
    return {
        name: value.get("_id", value) if isinstance(value, dict) else value
        for name, value in data.items()
    }


def fill(value: int, fee: float, liquidity: str) -> dict[str, Any]:
    return {"value": value, "fee": fee, "liquidity": liquidity}


def test_a_resting_order_is_written_as_requested_with_one_event():
    issuer = make_trader()
    token = issuer.issue(buy_fee=D(2))
    buyer = Trader(make_trader(1000, member=True).wallet)
    before, events = read_totals(token), NewEvents()
    made = buyer.place(token, "Buy", "9.5", 3, client_order_id="mine")
    order = Order.objects.get(pk=made)
    organisation = buyer.wallet.organisation.id
    assert (order.token_id, order.organisation_id, order.member_id, order.api_key_id) == (
        token.id, organisation, buyer.wallet.member_id, None,
    )  # fmt: skip
    assert (order.owner_model, order.type, order.client_order_id) == ("user", "Buy", "mine")
    assert (order.price, order.tokens, order.amount) == (D("9.5"), D(3), D("28.5"))
    assert order.fee_percent == 2
    assert (order.customer_name, order.customer_email, order.reason) == ("", "", "")
    assert sums(made) == ("Active", 0, 0, 0, 0, D("29.07"))
    assert (order.closed_at, order.updated_at) == (None, order.created_at)
    [(kind, subject, owner, data)] = events.now()
    assert (kind, subject, owner) == ("order.created", made, organisation)
    assert data == {"order": json.loads(order.document)}
    assert (trades(token), read_totals(token)) == ([], before)


def test_a_buy_that_takes_two_asks_writes_both_sides_and_their_events():
    issuer, seller, buyer = make_trader(), make_trader(10_000), make_trader(10_000)
    token = issuer.issue(buy_fee=D(1), sell_fee=D(2))
    first = issuer.place(token, "Sell", 90, 4)
    seller.place(token, "Buy", 90, 1)
    seller_has = issuer.place(token, "Sell", 80, 10)
    seller.place(token, "Buy", 80, 10)
    second = seller.place(token, "Sell", 95, 5)
    assert Order.objects.get(pk=seller_has).status == "Fulfilled"
    past, before, events = len(trades(token)), read_totals(token), NewEvents()
    made = buyer.place(token, "Buy", 100, 6)
    order = Order.objects.get(pk=made)
    # 3 at 90 and 3 at 95: each side's value, and a fee of 1 % for the buyer, 2 % for the sellers.
    assert sums(made) == ("Fulfilled", 6, 555, 555, D("5.55"), 0)
    assert sums(first) == ("Fulfilled", 4, 360, 360, D("7.20"), 0)
    assert sums(second) == ("Active", 3, 285, 285, D("5.70"), 2)
    assert trades(token)[past:] == [
        (made, first, "Buy", 90, 3, 270, D("2.70"), 270, D("5.40")),
        (made, second, "Buy", 95, 3, 285, D("2.85"), 285, D("5.70")),
    ]
    ends = {made: order.created_at, first: order.created_at, second: None}
    for order_id, ended in ends.items():
        written = Order.objects.get(pk=order_id)
        assert (written.closed_at, written.updated_at) == (ended, order.created_at)
    # Units of a token whose raise is complete change hands, no new ones come up.
    assert read_totals(token) == (before[0] + 6, before[1] + 6, *before[2:])

    one, other = Trade.objects.filter(token=token).order_by("seq")[past:]
    takes, issues, sells = (t.wallet.organisation.id for t in (buyer, issuer, seller))
    found = events.now()
    assert [(kind, subject, owner) for kind, subject, owner, _ in found] == [
        ("order.created", made, takes),
        ("trade.created", one.id, takes),
        ("trade.created", one.id, issues),
        ("order.fulfilled", first, issues),
        ("trade.created", other.id, takes),
        ("trade.created", other.id, sells),
        ("order.fulfilled", made, takes),
    ]
    of = {"trade": str(one.id)}, {"trade": str(other.id)}
    assert [documents(data) for *_, data in found] == [
        {"order": str(made)},
        {**of[0], "order": str(made), "fill": fill(270, 2.7, "taker")},
        {**of[0], "order": str(first), "fill": fill(270, 5.4, "maker")},
        {"order": str(first), "reason": None},
        {**of[1], "order": str(made), "fill": fill(285, 2.85, "taker")},
        {**of[1], "order": str(second), "fill": fill(285, 5.7, "maker")},
        {"order": str(made), "reason": None},
    ]
    assert found[2][3]["order"] == json.loads(Order.objects.get(pk=first).document)


def test_a_sell_that_partly_fills_emits_created_and_traded():
    issuer, bidder = make_trader(), make_trader(10_000)
    token = issuer.issue(buy_fee=D(1), sell_fee=D(2))
    bid = bidder.place(token, "Buy", 100, 4)
    large = bidder.place(token, "Buy", 101, 3)
    before, events = read_totals(token), NewEvents()
    made = issuer.place(token, "Sell", 101, 5)
    assert sums(made) == ("Active", 3, 303, 303, D("6.06"), 2)
    assert sums(large) == ("Fulfilled", 3, 303, 303, D("3.03"), 0)
    assert sums(bid) == ("Active", 0, 0, 0, 0, 404)
    assert trades(token) == [(large, made, "Sell", 101, 3, 303, D("3.03"), 303, D("6.06"))]
    assert read_totals(token) == (before[0] + 3, before[1] + 3, *before[2:])
    assert [kind for kind, *_ in events.now()] == [
        "order.created", "trade.created", "trade.created", "order.fulfilled",
    ]  # fmt: skip
    # The next one takes a part of what waits: what is reserved for it becomes less by that.
    other = issuer.issue()
    before = read_totals(token), read_totals(other)
    issuer.place(token, "Sell", 100, "0.5")
    assert sums(bid) == ("Active", D("0.5"), 50, 50, D("0.5"), D("353.5"))
    half = D("0.5")
    assert read_totals(token) == (before[0][0] + half, before[0][1] + half, *before[0][2:])
    assert read_totals(other) == before[1]


def test_a_purchase_in_a_raise_writes_a_trade_without_a_sell_order_and_new_units():
    issuer, buyer = make_trader(), make_trader(10_000)
    token = issuer.issue(
        price_buy=D(100), raise_amount=D(5_000), total_supply=D(1_000), buy_fee=D(1)
    )
    assert not token.completed_raise
    before, events = read_totals(token), NewEvents()
    made = buyer.place(token, "Buy", 120, 4)
    assert trades(token) == [(made, None, "Buy", 100, 4, 400, 4, 400, 0)]
    assert sums(made) == ("Fulfilled", 4, 400, 400, 4, 0)
    buys, sells, supply, allocated, raised = before
    assert read_totals(token) == (buys + 4, sells, supply + 4, allocated + 4, raised + 400)
    [trade] = Trade.objects.filter(token=token)
    takes = buyer.wallet.organisation.id
    # The issuer has no order in a raise, so gets no order event.
    assert [(kind, subject, owner) for kind, subject, owner, _ in events.now()] == [
        ("order.created", made, takes),
        ("trade.created", trade.id, takes),
        ("order.fulfilled", made, takes),
    ]


def test_an_order_closed_at_once_has_a_reason():
    trader = make_trader(10_000)
    token = trader.issue()
    trader.place(token, "Sell", 90, 5)
    events = NewEvents()
    made = trader.place(token, "Buy", 90, 5)
    assert sums(made) == ("Cancelled", 0, 0, 0, 0, 0)
    order = Order.objects.get(pk=made)
    assert order.reason == "self_trade"
    assert order.closed_at == order.created_at
    created, cancelled = events.now()
    assert [created[0], cancelled[0]] == ["order.created", "order.cancelled"]
    assert cancelled[1:3] == (made, trader.wallet.organisation.id)
    assert documents(cancelled[3]) == {"order": str(made), "reason": order.reason}


@pytest.mark.parametrize(
    ("reason", "events"), [("", "null"), ('It "met" one', '"It \\"met\\" one"'), (None, None)]
)
def test_a_closing_event_has_the_reason_or_null(reason, events):
    found = call("order_end_data", '{"a":1}', reason)
    assert found == (None if events is None else f'{{"order":{{"a":1}},"reason":{events}}}')
