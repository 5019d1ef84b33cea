"""Random streams of orders against a slow reference in plain Python (`reference`).

After every step each order, each trade, everybody's money and units and the exchange's income are
the reference's to the last decimal, and the deferred rules of the ledger hold. The books are
proven every few steps and at the end of each stream.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from exchange.errors import Refused
from exchange.models import Event, Token
from orders.errors import OrderNotActive
from orders.models import Order, Trade
from tests.orders import reference
from tests.support.access import make_caller, make_member
from tests.support.crowd import size
from tests.support.market import Trader, fee_income, give_units, make_token, make_trader
from tests.support.world import Wallet, assert_books_hold
from wallets.models import Account

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

STEPS = size("ORACLE_STEPS", 30)
PROVE_EVERY = size("ORACLE_PROVE_EVERY", 15)
TRADERS = 6
UNIT = Decimal("0.00000001")
ISSUER = 0
LARGE = Decimal(10) ** 15


def streams(examples: int) -> Any:
    """How hypothesis runs: the same streams in every run, others when more are asked for."""
    return hypothesis_settings(
        max_examples=size("ORACLE_EXAMPLES", examples),
        deadline=None,
        # A failing stream is made smaller on request only: it takes minutes.
        phases=[Phase.generate, *([Phase.shrink] if "RACE_ORACLE_SHRINK" in os.environ else [])],
        database=None,
        derandomize="RACE_ORACLE_EXAMPLES" not in os.environ,
        suppress_health_check=list(HealthCheck),
    )


# --- What streams are made of --------------------------------------------------------------------

percents = st.sampled_from([Decimal(0), Decimal(50), Decimal("0.5"), Decimal("1.25")]) | (
    st.decimals(0, 50, places=4)
)


@dataclass(frozen=True)
class Place:
    """`units` outright, or in words: what the best order of the other side has left, a little
    more or less than that, or all the owner can pay for or deliver.
    """

    trader: int
    side: str
    step: int
    units: Decimal | str


@dataclass(frozen=True)
class Cancel:
    number: int


@dataclass(frozen=True)
class NewFees:
    buy: Decimal
    sell: Decimal


def step_of(seed: int) -> Place | Cancel | NewFees:
    """One step. (Made here: hypothesis alone would make mostly refusals and cancellations.)"""
    random = Random(seed)
    kind = random.choices(["place", "cancel", "fees"], [85, 12, 3])[0]
    if kind == "cancel":
        return Cancel(random.randrange(1000))
    if kind == "fees":
        buy, sell = (
            random.choice([Decimal(0), Decimal(50), Decimal(random.randrange(500_001)) / 10_000])
            for _ in range(2)
        )
        return NewFees(buy, sell)
    wanted: list[Decimal | str] = [
        Decimal(random.randint(1, 10)),
        Decimal(random.randint(1, 16)) / 4,
        UNIT * random.randint(1, 2 * 10**8),
        UNIT * random.randint(1, 20 * 10**8),
        random.choice(["best", "best+", "best-"]),
        "all",
        random.choice([UNIT, 3 * UNIT, Decimal("0.1")]),
    ]
    return Place(
        trader=random.randrange(TRADERS),
        side=random.choice(["Buy", "Sell"]),
        step=random.randint(1, 6),
        units=random.choices(wanted, [30, 20, 15, 10, 17, 5, 3])[0],
    )


steps = st.lists(st.integers(0, 2**32 - 1).map(step_of), min_size=STEPS, max_size=STEPS)


@dataclass(frozen=True)
class Setting:
    """Where a stream plays: prices are multiples of `tick` minor units of the currency."""

    currency: str
    tick: int
    buy_fee: Decimal
    sell_fee: Decimal

    @property
    def decimals(self) -> int:
        return 0 if self.currency == "UGX" else 2

    @property
    def price(self) -> Decimal:
        """One tick."""
        return Decimal(self.tick).scaleb(-self.decimals)


settings_of_streams = st.builds(
    Setting,
    currency=st.sampled_from(["KES", "UGX"]),
    tick=st.sampled_from([1, 1, 3, 100, 333, 1_234_567]),
    buy_fee=percents,
    sell_fee=percents,
)


# --- The two exchanges side by side --------------------------------------------------------------


@dataclass
class Sides:
    """Ours and the reference, asked the same things; `compare` finds any difference."""

    setting: Setting
    ours: Token
    theirs: reference.Exchange
    traders: list[Trader]
    ids: list[UUID] = field(default_factory=list)
    income_before: Decimal = Decimal(0)
    done: int = 0

    def follow(self, stream: list[Any]) -> None:
        for step in stream:
            self.take(step)
            self.compare()
            self.done += 1
            if self.done % PROVE_EVERY == 0:
                assert_books_hold()
        self.compare_events()
        assert_books_hold()

    def take(self, step: Any) -> None:
        match step:
            case Place():
                self.place(step)
                self.open_secondaries()
            case Cancel():
                self.cancel(step.number)
            case NewFees():
                Token.objects.filter(id=self.ours.id).update(buy_fee=step.buy, sell_fee=step.sell)
                rules = self.theirs.rules
                self.theirs.rules = reference.Rules(
                    rules.decimals, step.buy, step.sell, rules.least
                )

    def place(self, step: Place) -> None:
        owner = self.owner(step.trader)
        price = self.setting.price * step.step
        units = self.units(step, owner, price)
        code = self._refusal_of(owner, step.side, price, units)
        trader = self.traders[step.trader]
        if code:
            with pytest.raises(Refused) as refused, transaction.atomic():
                trader.place(self.ours, step.side, price, units)
            assert refused.value.code == code
        else:
            self.ids.append(trader.place(self.ours, step.side, price, units))

    def _refusal_of(self, owner: Hashable, side: str, price: Decimal, units: Decimal) -> str:
        """What the reference makes of an order: the code of its refusal, or nothing."""
        try:
            self.theirs.place(owner, side, price, units)
        except reference.Refusal as refusal:
            return str(refusal)
        return ""

    def cancel(self, number: int) -> None:
        if not self.theirs.orders:
            return
        # Four times out of five one that is open, where there is one.
        still = [order for order in self.theirs.orders if order.status == "Active"]
        some = still if still and number % 5 else self.theirs.orders
        order = some[number // 5 % len(some)]
        closed = self.theirs.cancel(order)
        trader = next(t for t in self.traders if t.owner_id == order.owner)
        if closed:
            trader.cancel(self.ids[order.number])
        else:
            with pytest.raises(OrderNotActive), transaction.atomic():
                trader.cancel(self.ids[order.number])

    def open_secondaries(self) -> None:
        """As staff would once the raise is complete."""
        if self.theirs.offer and not self.theirs.raising:
            Token.objects.filter(id=self.ours.id, secondaries=False).update(secondaries=True)

    def owner(self, trader: int) -> Hashable:
        return self.traders[trader].owner_id

    def units(self, step: Place, owner: Hashable, price: Decimal) -> Decimal:
        if isinstance(step.units, Decimal):
            return step.units
        if step.units == "all":
            has = (
                self.theirs.available_money(owner) / price
                if step.side == "Buy"
                else self.theirs.available_units(owner)
            )
            return max(has.quantize(UNIT, ROUND_DOWN), UNIT)
        book = self.theirs.book("Sell" if step.side == "Buy" else "Buy")
        rest = book[0].rest if book else Decimal(1)
        more = {"best+": UNIT, "best-": -UNIT}.get(step.units, Decimal(0))
        return max(rest + more, UNIT)

    # --- What must be alike ----------------------------------------------------------------------

    def compare(self) -> None:
        with connection.cursor() as cursor:
            # What commits would check.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        self.compare_orders()
        self.compare_trades()
        self.compare_accounts()
        self.compare_token()

    def compare_orders(self) -> None:
        columns = (
            *("id", "owner_id", "type", "price", "tokens", "status", "reason", "filled"),
            *("filled_value", "charged", "charged_fee", "reserved"),
        )
        found = list(Order.objects.filter(token=self.ours).order_by("seq").values_list(*columns))
        assert found == [
            (
                *(self.ids[o.number], o.owner, "Buy" if o.buys else "Sell", o.price, o.units),
                *(o.status, o.reason, o.filled, o.filled_value, o.charged, o.charged_fee),
                o.reserved,
            )
            for o in self.theirs.orders
        ]
        bids, asks = (
            [row[3] for row in found if row[5] == "Active" and row[2] == side]
            for side in ("Buy", "Sell")
        )
        assert not (bids and asks) or max(bids) < min(asks), "a crossed book"

    def compare_trades(self) -> None:
        columns = (
            *("buy_order_id", "sell_order_id", "taker", "price", "tokens"),
            *("buyer_value", "buyer_fee", "seller_value", "seller_fee"),
        )
        found = Trade.objects.filter(token=self.ours).order_by("seq").values_list(*columns)
        assert list(found) == [
            (
                self.ids[t.buyer.number],
                None if t.seller is None else self.ids[t.seller.number],
                "Buy" if t.taker.buys else "Sell",
                *(t.price, t.units, t.buyer_value, t.buyer_fee, t.seller_value, t.seller_fee),
            )
            for t in self.theirs.trades
        ]

    def compare_accounts(self) -> None:
        rows = Account.objects.filter(
            owner_id__in={t.owner_id for t in self.traders},
            asset_id__in=[self.setting.currency, str(self.ours.id)],
        ).values_list("owner_id", "asset_id", "kind", "balance")
        found = {row[:3]: row[3] for row in rows if row[3]}
        money, units = self.setting.currency, str(self.ours.id)
        expected: dict[Any, Decimal] = {}
        for owner in {t.owner_id for t in self.traders}:
            expected |= {
                (owner, money, "available"): self.theirs.available_money(owner),
                (owner, money, "reserved"): self.theirs.reserved_money(owner),
                (owner, units, "available"): self.theirs.available_units(owner),
                (owner, units, "reserved"): self.theirs.reserved_units(owner),
            }
        proceeds, unsold = self.theirs.raise_accounts()
        issuer = self.owner(ISSUER)
        expected |= {(issuer, money, "raise"): proceeds, (issuer, units, "unsold"): unsold}
        assert found == {key: value for key, value in expected.items() if value}
        assert fee_income(money) - self.income_before == self.theirs.fees()

    def compare_token(self) -> None:
        token = Token.objects.get(id=self.ours.id)
        sold = [t.units for t in self.theirs.trades if t.seller is not None]
        allotted = [t.units for t in self.theirs.trades if t.seller is None]
        secondary, primary = sum(sold, Decimal(0)), sum(allotted, Decimal(0))
        assert (token.vol_buy, token.vol_sell) == (secondary + primary, secondary)
        assert (token.price_buy, token.price_sell) == (self.ours.price_buy, self.ours.price_sell)
        assert token.completed_raise is not self.theirs.raising
        assert (token.total_raised, token.total_allocated) == (self.theirs.raised(), primary)

    def compare_events(self) -> None:
        """Every fill is told to both sides, every end to the owner, once."""
        for order, found in zip(self.theirs.orders, self.ids, strict=True):
            ends = {"Active": [], "Fulfilled": ["order.fulfilled"]}.get(
                order.status, ["order.cancelled"]
            )
            events = Event.objects.filter(subject_id=found).values_list("type", flat=True)
            assert sorted(events) == sorted(["order.created", *ends])
        trades = Trade.objects.filter(token=self.ours).values_list("id", "sell_order_id")
        for trade, seller in trades:
            told = Event.objects.filter(subject_id=trade, type="trade.created").count()
            assert told == (1 if seller is None else 2)


def prepare(setting: Setting, *, money: Decimal, units: Decimal, **more: Any) -> Sides:
    """Two organisations, a key of one of them, and three members; all with money.

    The issuer's members and the issuer are different owners; the other organisation and its key
    are one. With `units`, everybody begins with as many, else the issuer has them all.
    """
    one, other = make_trader(), make_trader()
    key = make_caller(organisation=other.wallet.organisation).key
    traders = [
        one,
        other,
        Trader(other.wallet, key.id),
        *(
            Trader(Wallet(owner.wallet.organisation, make_member(owner.wallet.organisation)))
            for owner in (one, other, other)
        ),
    ]
    owners = {t.owner_id: t for t in reversed(traders)}
    for trader in owners.values():
        trader.wallet.fund(money, setting.currency)
    supply = more.pop("total_supply", units * len(owners))
    token = make_token(
        one,
        currency=setting.currency,
        total_supply=supply,
        buy_fee=setting.buy_fee,
        sell_fee=setting.sell_fee,
        **{"price_buy": setting.price, "price_sell": setting.price, **more},
    )
    held: dict[Hashable, Decimal] = {}
    if units:
        give_units(token, one, {t: units for t in owners.values() if t is not traders[ISSUER]})
        held = dict.fromkeys(owners, units)
    offer = None
    if "raise_amount" in more:
        offered = more["offered"]
        offer = reference.Raise(one.owner_id, token.price_buy, token.raise_amount, offered)
        if supply > offered:
            held = {one.owner_id: supply - offered}
    rules = reference.Rules(
        setting.decimals, setting.buy_fee, setting.sell_fee, token.min_trade_buy
    )
    theirs = reference.Exchange(rules, dict.fromkeys(owners, money), held, offer)
    return Sides(setting, token, theirs, traders, income_before=fee_income(setting.currency))


class _Undo(Exception):
    """Takes back what a stream did."""


# --- The streams ---------------------------------------------------------------------------------


@streams(40)
@given(setting=settings_of_streams, stream=steps)
def test_no_stream_of_orders_ends_otherwise_than_in_the_reference(setting, stream):
    with suppress(_Undo), transaction.atomic(), reference.exactly():
        money = (setting.price * 400).quantize(Decimal(1).scaleb(-setting.decimals))
        prepare(setting, money=money, units=Decimal(40)).follow(stream)
        raise _Undo


@dataclass(frozen=True)
class RaiseSetting:
    """A raise of `offered` units at `at` ticks; it wants `share` of what they cost."""

    setting: Setting
    at: int
    offered: Decimal
    share: Decimal
    least: Decimal


raises = st.builds(
    RaiseSetting,
    setting=settings_of_streams
    # Where the last decimal of the units is worth more than the last one of the currency.
    | st.builds(
        Setting,
        currency=st.sampled_from(["KES", "UGX"]),
        tick=st.sampled_from([1_100_000_003, 10**13 + 1]),
        buy_fee=percents,
        sell_fee=percents,
    ),
    at=st.integers(1, 2),
    offered=st.sampled_from([Decimal(30), Decimal(7), Decimal("0.5"), 5 * UNIT])
    | st.decimals("0.00000001", "40", places=8),
    share=st.sampled_from([Decimal(1), Decimal(2), Decimal("0.5")])
    | st.decimals("0.01", "1", places=4),
    least=st.sampled_from([Decimal(0), Decimal(0), Decimal("0.5"), Decimal(1), Decimal("3.5")]),
)


@streams(40)
@given(raising=raises, stream=steps)
def test_no_stream_of_a_raise_ends_otherwise_than_in_the_reference(raising, stream):
    setting = raising.setting
    with suppress(_Undo), transaction.atomic(), reference.exactly():
        smallest = Decimal(1).scaleb(-setting.decimals)
        price = setting.price * raising.at
        wanted = (price * raising.offered * raising.share).quantize(smallest)
        sides = prepare(
            setting,
            money=min(setting.price * 60, LARGE).quantize(smallest),
            units=Decimal(0),
            total_supply=raising.offered + 10,
            offered=raising.offered,
            price_buy=price,
            raise_amount=min(max(wanted, smallest), LARGE),
            min_trade_buy=(setting.price * raising.least).quantize(smallest),
        )
        sides.follow(stream)
        raise _Undo
