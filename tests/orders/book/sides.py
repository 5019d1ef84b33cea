"""The exchange and the reference (`reference`) side by side: same calls, compared results."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.tokens.models import Token
from orders.book.errors import OrderNotActive
from orders.book.models import Order, Trade
from orders.book.tasks import expire_orders
from tests.environment.concurrency import race_size
from tests.environment.owner import as_owner, without_guards
from tests.factories.api_clients import make_caller, make_member
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import give_units
from tests.factories.traders import Trader, fee_income, make_trader
from tests.factories.wallets import Wallet, assert_books_hold
from tests.orders.book import reference, reference_orders
from tests.orders.book.streams import (
    UNIT,
    Amend,
    Cancel,
    ComeDue,
    Expire,
    Halt,
    NewFees,
    Place,
    Setting,
)
from wallets.ledger.models import Account

PROVE_EVERY = race_size("ORACLE_PROVE_EVERY", 15)
ISSUER = 0
_HOUR = timedelta(hours=1)


@dataclass
class Sides:
    """The exchange and the reference; `compare` finds any difference."""

    setting: Setting
    ours: Token
    theirs: reference.Exchange
    traders: list[Trader]
    ids: list[UUID] = field(default_factory=list)
    income_before: Decimal = Decimal(0)
    amended: Counter[UUID] = field(default_factory=Counter)
    done: int = 0

    def follow(self, stream: list[Any]) -> None:
        for step in stream:
            self.take(step)
            self.compare()
            self.done += 1
            if self.done % PROVE_EVERY == 0:
                assert_books_hold()
        self.compare_events()
        self.assert_splitting_gains_nothing()
        assert_books_hold()

    def take(self, step: Any) -> None:
        match step:
            case Place():
                self.place(step)
                self.open_secondaries()
            case Cancel():
                self.cancel(step.number)
            case ComeDue():
                self.come_due(step.number)
            case Expire():
                assert expire_orders() == self.theirs.expire()
            case NewFees():
                Token.objects.filter(id=self.ours.id).update(buy_fee=step.buy, sell_fee=step.sell)
                self.theirs.change_fees(step.buy, step.sell)
            case Amend():
                self.amend(step)
            case Halt():
                self.theirs.halted = not self.theirs.halted
                moment = timezone.now() if self.theirs.halted else None
                with without_guards() as cursor:
                    sql = "UPDATE exchange_token SET halted_at = %s WHERE id = %s"
                    cursor.execute(sql, [moment, self.ours.id])

    def place(self, step: Place) -> None:
        owner = self.owner(step.trader)
        price = self.setting.price * step.step
        units = self.units(step, owner, price)
        if not step.kind.market:
            self.place_exactly(step.trader, step.side, price, units, step.kind)
        elif step.side == "Buy" and step.spend:
            cost = self.theirs.rules.rounded(price * units, up=True)
            kind = replace(step.kind, spend=max(cost, self.theirs.rules.minor))
            self.place_exactly(step.trader, step.side, None, None, kind)
        else:
            self.place_exactly(step.trader, step.side, None, units, step.kind)

    def place_exactly(
        self,
        trader: int,
        side: str,
        price: Decimal | None,
        units: Decimal | None,
        kind: reference_orders.Kind = reference_orders.LIMIT,
    ) -> None:
        more = {
            "order_type": "market" if kind.market else "limit",
            "time_in_force": kind.force,
            "post_only": kind.post_only,
            "requested_amount": kind.spend,
            "expires_at": timezone.now() + _HOUR if kind.force == "GTD" else None,
        }
        code = self._refusal_of(self.owner(trader), side, price, units, kind)
        if code:
            with pytest.raises(DomainError) as refused, transaction.atomic():
                self.traders[trader].place(self.ours, side, price, units, **more)
            assert refused.value.code == code
        else:
            self.ids.append(self.traders[trader].place(self.ours, side, price, units, **more))

    def _refusal_of(self, *order: Any) -> str:
        """Return the reference's code for an order that it refuses, or ""."""
        try:
            self.theirs.place(*order)
        except reference_orders.Refusal as refusal:
            return str(refusal)
        return ""

    def come_due(self, number: int) -> None:
        """Let the time of an open GTD order come."""
        lasting = [o for o in self.theirs.orders if o.status == "Active" and o.kind.force == "GTD"]
        if lasting:
            order = lasting[number % len(lasting)]
            order.due = True
            move_expiry(self.ids[order.number], timezone.now() - _HOUR)

    def cancel(self, number: int) -> None:
        order = self.chosen(number)
        if order is None:
            return
        closed = self.theirs.cancel(order)
        trader = self.trader_of(order)
        if closed:
            trader.cancel(self.ids[order.number])
        else:
            with pytest.raises(OrderNotActive), transaction.atomic():
                trader.cancel(self.ids[order.number])

    def amend(self, step: Amend) -> None:
        order = self.chosen(step.number)
        if order is None:
            return
        price = None if step.step is None else self.setting.price * step.step
        units = None
        if step.part is not None:
            units = max((order.units * step.part).quantize(UNIT, ROUND_DOWN), UNIT)
        # Sometimes what was filled before the last trade.
        expected = sum((t.units for t in order.trades[step.number % 2 :]), Decimal(0))
        self.amend_exactly(order, price, units, expected if step.expects else None)

    def amend_exactly(
        self,
        order: reference_orders.Order,
        price: Decimal | None,
        units: Decimal | None,
        expected: Decimal | None = None,
    ) -> None:
        code = ""
        try:
            self.theirs.amend(order, price, units, expected)
        except reference_orders.Refusal as refusal:
            code = str(refusal)
        found, trader = self.ids[order.number], self.trader_of(order)
        changes = {"price": price, "tokens": units, "expected_filled": expected}
        if code:
            with pytest.raises(DomainError) as refused, transaction.atomic():
                trader.amend(found, **changes)
            assert refused.value.code == code
        else:
            trader.amend(found, **changes)
            self.amended[found] += 1

    def chosen(self, number: int) -> reference_orders.Order | None:
        """Return an order, four times out of five one that is open, where there is one."""
        if not self.theirs.orders:
            return None
        still = [order for order in self.theirs.orders if order.status == "Active"]
        some = still if still and number % 5 else self.theirs.orders
        return some[number // 5 % len(some)]

    def trader_of(self, order: reference_orders.Order) -> Trader:
        return next(t for t in self.traders if t.owner_id == order.owner)

    def open_secondaries(self) -> None:
        """Open secondary trading as staff would, once the raise is complete."""
        if self.theirs.offer and not self.theirs.raising:
            self.ours.refresh_from_db()
            if not self.ours.secondaries:
                set_flags(self.ours, secondaries=True)

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
            for o in self.theirs.by_turn()
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

    def assert_splitting_gains_nothing(self) -> None:
        """Assert that no owner's orders are better off than one order with all their fills."""
        rules, orders = self.theirs.rules, self.theirs.orders
        for owner in {t.owner_id for t in self.traders}:
            buys = [o for o in orders if o.owner == owner and o.buys]
            sells = [o for o in orders if o.owner == owner and not o.buys]
            paid = sum((o.charged + o.charged_fee for o in buys), Decimal(0))
            cost = sum((o.filled_value + o.fee_at(o.filled_value) for o in buys), Decimal(0))
            assert paid >= rules.rounded(cost, up=True)
            received = sum((o.charged - o.charged_fee for o in sells), Decimal(0))
            due = sum((o.filled_value - o.fee_at(o.filled_value) for o in sells), Decimal(0))
            assert received <= rules.rounded(due, up=False)
        # In a raise the issuer receives what its buyers' orders come to, rounded up as they are.
        fees = sum((o.fee_at(o.filled_value) for o in orders), Decimal(0))
        assert self.theirs.fees() >= (fees if self.theirs.offer is None else 0)

    def compare_events(self) -> None:
        """Every fill emits events to both sides, every closing one to the owner."""
        for order, found in zip(self.theirs.orders, self.ids, strict=True):
            ends = {"Active": [], "Fulfilled": ["order.fulfilled"]}.get(
                order.status, ["order.cancelled"]
            )
            events = Event.objects.filter(subject_id=found).values_list("type", flat=True)
            changes = ["order.updated"] * self.amended[found]
            assert sorted(events) == sorted(["order.created", *changes, *ends])
        trades = Trade.objects.filter(token=self.ours).values_list("id", "sell_order_id")
        for trade, seller in trades:
            count = Event.objects.filter(subject_id=trade, type="trade.created").count()
            assert count == (1 if seller is None else 2)


def move_expiry(order_id: UUID, moment: datetime) -> None:
    """Change when an order expires, which the exchange itself never does."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    with without_guards() as cursor:
        cursor.execute("UPDATE orders_order SET expires_at = %s WHERE id = %s", [moment, order_id])
    with as_owner() as cursor:  # writes the document
        cursor.execute("UPDATE orders_order SET updated_at = updated_at WHERE id = %s", [order_id])


def prepare(setting: Setting, *, money: Decimal, units: Decimal, **more: Any) -> Sides:
    """Make two organisations, an API key of one, and three members, all with money.

    The issuer's members and the issuer are different owners; the other organisation and its key are
    one. With `units` everyone starts with as many, else the issuer has all.
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
    token = one.issue(
        currency=setting.currency,
        total_supply=supply,
        buy_fee=setting.buy_fee,
        sell_fee=setting.sell_fee,
        **{"price_buy": setting.price, "price_sell": setting.price, **more},
    )
    held: dict[Hashable, Decimal] = {}
    if units:
        for trader in owners.values():
            if trader is not traders[ISSUER]:
                give_units(token, trader.wallet, units)
        held = dict.fromkeys(owners, units)
    offer = None
    if "raise_amount" in more:
        offered = more["offered"]
        offer = reference_orders.Raise(one.owner_id, token.price_buy, token.raise_amount, offered)
        if supply > offered:
            held = {one.owner_id: supply - offered}
    rules = reference_orders.Rules(
        setting.decimals, setting.buy_fee, setting.sell_fee, token.min_trade_buy
    )
    theirs = reference.Exchange(rules, dict.fromkeys(owners, money), held, offer)
    return Sides(setting, token, theirs, traders, income_before=fee_income(setting.currency))
