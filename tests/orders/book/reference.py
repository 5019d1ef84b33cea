"""A reference of the exchange for one token: slow, obvious, and independent of `orders`.

Nothing is carried along. What an order has been charged is the sum of its fills, what it reserves
is what its rest can still cost, what an owner has is what it began with and what its orders came
to. Only arrivals and trades are remembered, in lists. Arithmetic is exact; amounts are rounded
where they are charged, and nowhere else: what a buyer pays up, what a seller receives down, to the
currency's decimals. All of it is to be used inside `exactly()`, or products of large amounts lose
digits.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    localcontext,
)

# Enough digits for every product of amounts below 10^15 with 8 decimals to be exact.
_DIGITS = Context(prec=120)
_UNIT = Decimal("0.00000001")
_ZERO = Decimal(0)
_LARGEST = Decimal(10) ** 15

NOTHING = "The rest is worth nothing"
OWN_ORDER = "It met an order of its own owner"
SOLD_OUT = "The raise has no more units"


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, _ZERO)


def exactly() -> AbstractContextManager[Context]:
    """Decimals of as many digits as it takes."""
    return localcontext(_DIGITS)


class Refusal(Exception):
    """The order is not taken; the argument is the code."""


@dataclass(frozen=True)
class Raise:
    """A primary raise: `offered` units at `price`, until it has brought `amount`."""

    issuer: Hashable
    price: Decimal
    amount: Decimal
    offered: Decimal


@dataclass(frozen=True)
class Rules:
    """What the token asks of orders. Fees are percent, `least` the smallest value of a buy."""

    decimals: int
    buy_fee: Decimal
    sell_fee: Decimal
    least: Decimal = _ZERO

    @property
    def minor(self) -> Decimal:
        """The smallest amount of the currency."""
        return Decimal(1).scaleb(-self.decimals)

    def rounded(self, value: Decimal, *, up: bool) -> Decimal:
        return value.quantize(self.minor, ROUND_CEILING if up else ROUND_FLOOR)

    def amount(self, value: Decimal) -> Decimal:
        """A value as orders show it and bounds compare it: half-even."""
        return value.quantize(self.minor, ROUND_HALF_EVEN)


@dataclass(frozen=True)
class Trade:
    """Units that changed hands. `seller` None: the issuer, in its raise."""

    buyer: Order
    seller: Order | None
    taker: Order
    price: Decimal
    units: Decimal
    buyer_value: Decimal
    buyer_fee: Decimal
    seller_value: Decimal
    seller_fee: Decimal


@dataclass(eq=False)
class Order:
    """One order; `number` is its place in time."""

    number: int
    owner: Hashable
    buys: bool
    price: Decimal
    units: Decimal
    rules: Rules
    trades: list[Trade] = field(default_factory=list)
    status: str = "Active"
    reason: str = ""

    @property
    def filled(self) -> Decimal:
        return _sum(t.units for t in self.trades)

    @property
    def rest(self) -> Decimal:
        return self.units - self.filled

    @property
    def filled_value(self) -> Decimal:
        """Price times units of its fills, exactly."""
        return _sum(t.price * t.units for t in self.trades)

    @property
    def charged(self) -> Decimal:
        return _sum(t.buyer_value if self.buys else t.seller_value for t in self.trades)

    @property
    def charged_fee(self) -> Decimal:
        return _sum(t.buyer_fee if self.buys else t.seller_fee for t in self.trades)

    def value_at(self, exact: Decimal) -> Decimal:
        """The value of the order when its fills come to `exact`."""
        return self.rules.rounded(exact, up=self.buys)

    def fee_at(self, exact: Decimal) -> Decimal:
        """The fee on that, not rounded."""
        return exact * (self.rules.buy_fee if self.buys else self.rules.sell_fee) / 100

    def total_at(self, exact: Decimal) -> Decimal:
        """What a buyer has paid then, or a seller received: with the fee."""
        fee = self.fee_at(exact)
        return self.rules.rounded(exact + fee if self.buys else exact - fee, up=self.buys)

    def value_due(self, exact: Decimal) -> Decimal:
        """What an order filled for `exact` is still to be charged as value."""
        return self.value_at(exact) - self.charged

    def fee_due(self, exact: Decimal) -> Decimal:
        return abs(self.total_at(exact) - self.value_at(exact)) - self.charged_fee

    @property
    def whole(self) -> Decimal:
        """What its fills and its rest, at its own price, come to."""
        return self.filled_value + self.price * self.rest

    @property
    def reserved(self) -> Decimal:
        """Currency of a buy, units of a sell: what the open rest can cost."""
        if self.status != "Active":
            return _ZERO
        if not self.buys:
            return self.rest
        return self.total_at(self.whole) - self.charged - self.charged_fee


class Exchange:
    """The market of one token. `money` and `units` are what each owner begins with."""

    def __init__(
        self,
        rules: Rules,
        money: dict[Hashable, Decimal],
        units: dict[Hashable, Decimal],
        offer: Raise | None = None,
    ) -> None:
        self.rules = rules
        self.orders: list[Order] = []
        self.trades: list[Trade] = []
        self.offer = offer
        self.raising = offer is not None
        self._money = money
        self._units = units

    # --- What is asked of it -----------------------------------------------------------------

    def place(self, owner: Hashable, side: str, price: Decimal, units: Decimal) -> Order:
        """The order as it stands after it was matched. Raises `Refusal`; nothing happens then."""
        order = Order(len(self.orders), owner, side == "Buy", price, units, self.rules)
        self._check(order)
        if self.raising:
            self._buy_from_issuer(order)
        else:
            self._match(order)
        if order.rest == 0:
            order.status = "Fulfilled"
        elif order.status == "Active" and order.price * order.rest < self.rules.minor:
            self._cancel(order, NOTHING)
        self.orders.append(order)
        return order

    def cancel(self, order: Order) -> bool:
        """False when the order is over already."""
        if order.status != "Active":
            return False
        self._cancel(order, "")
        return True

    # --- What everybody has ------------------------------------------------------------------

    def reserved_money(self, owner: Hashable) -> Decimal:
        return _sum(o.reserved for o in self.orders if o.owner == owner and o.buys)

    def reserved_units(self, owner: Hashable) -> Decimal:
        return _sum(o.reserved for o in self.orders if o.owner == owner and not o.buys)

    def available_money(self, owner: Hashable) -> Decimal:
        spent = _sum(t.buyer_value + t.buyer_fee for t in self.trades if t.buyer.owner == owner)
        got = _sum(
            t.seller_value - t.seller_fee
            for t in self.trades
            if (t.seller is not None and t.seller.owner == owner)
            or (t.seller is None and not self.raising and self._issues(owner))
        )
        return self._money.get(owner, _ZERO) - spent + got - self.reserved_money(owner)

    def available_units(self, owner: Hashable) -> Decimal:
        bought = _sum(t.units for t in self.trades if t.buyer.owner == owner)
        sold = _sum(
            t.units for t in self.trades if t.seller is not None and t.seller.owner == owner
        )
        unsold = self._unsold() if not self.raising and self._issues(owner) else _ZERO
        initial = self._units.get(owner, _ZERO)
        return initial + bought - sold + unsold - self.reserved_units(owner)

    def raise_accounts(self) -> tuple[Decimal, Decimal]:
        """What waits with the issuer: proceeds, and units not sold."""
        if not self.raising:
            return _ZERO, _ZERO
        return self.raised(), self._unsold()

    def raised(self) -> Decimal:
        return _sum(t.seller_value for t in self.trades if t.seller is None)

    def fees(self) -> Decimal:
        """The exchange's income: what buyers paid less what sellers got."""
        return _sum(
            t.buyer_value + t.buyer_fee - t.seller_value + t.seller_fee for t in self.trades
        )

    def book(self, side: str) -> list[Order]:
        """Open orders of a side, best first: price, then time."""
        found = [o for o in self.orders if o.status == "Active" and o.buys == (side == "Buy")]
        return sorted(found, key=lambda o: (-o.price if o.buys else o.price, o.number))

    # --- How it works ------------------------------------------------------------------------

    def _check(self, order: Order) -> None:
        value = self.rules.amount(order.price * order.units)
        if self.offer and self.raising:
            if not order.buys:
                raise Refusal("in_primary_raise")
            if order.owner == self.offer.issuer:
                raise Refusal("own_raise")
            if order.price < self.offer.price:
                raise Refusal("below_offer")
        if value == 0:
            raise Refusal("worth_nothing")
        if value > _LARGEST:
            raise Refusal("amount_too_large")
        if order.buys and value < self.rules.least:
            raise Refusal("below_min_trade")
        if order.buys and self.available_money(order.owner) < order.reserved:
            raise Refusal("insufficient_balance")
        if not order.buys and self.available_units(order.owner) < order.units:
            raise Refusal("insufficient_units")

    def _match(self, order: Order) -> None:
        for maker in self.book("Sell" if order.buys else "Buy"):
            crosses = maker.price <= order.price if order.buys else maker.price >= order.price
            if order.rest == 0 or not crosses:
                return
            if maker.owner == order.owner:
                self._cancel(order, OWN_ORDER)
                return
            units = min(order.rest, maker.rest)
            exact = maker.price * units
            # A fill worth less than the smallest amount of the currency does not happen; the rest
            # of the one for whom it would have been the last is over.
            if exact < self.rules.minor:
                if units == maker.rest:
                    self._cancel(maker, NOTHING)
                    continue
                self._cancel(order, NOTHING)
                return
            self._trade(order, maker, maker.price, units)

    def _trade(self, taker: Order, maker: Order, price: Decimal, units: Decimal) -> None:
        buyer, seller = (taker, maker) if taker.buys else (maker, taker)
        exact = price * units
        trade = Trade(
            buyer=buyer,
            seller=seller,
            taker=taker,
            price=price,
            units=units,
            buyer_value=buyer.value_due(buyer.filled_value + exact),
            buyer_fee=buyer.fee_due(buyer.filled_value + exact),
            seller_value=seller.value_due(seller.filled_value + exact),
            seller_fee=seller.fee_due(seller.filled_value + exact),
        )
        for order in (buyer, seller):
            order.trades.append(trade)
        self.trades.append(trade)
        if maker.rest == 0:
            maker.status = "Fulfilled"

    def _buy_from_issuer(self, order: Order) -> None:
        offer = self.offer
        assert offer is not None
        units = min(order.rest, self._for_sale())
        exact = offer.price * units
        if exact < self.rules.minor and units == order.rest:
            self._cancel(order, NOTHING)
            return
        if exact >= self.rules.minor:
            value = order.value_due(exact)
            trade = Trade(
                buyer=order,
                seller=None,
                taker=order,
                price=offer.price,
                units=units,
                buyer_value=value,
                buyer_fee=order.fee_due(exact),
                seller_value=value,
                seller_fee=_ZERO,
            )
            order.trades.append(trade)
            self.trades.append(trade)
            left = offer.price * self._for_sale()
            if left < self.rules.minor or self.rules.amount(left) < self.rules.least:
                self.raising = False
        if order.rest > 0:
            self._cancel(order, SOLD_OUT)

    def _for_sale(self) -> Decimal:
        """Units that are left, as far as the raise still needs money for them."""
        assert self.offer is not None
        needed = (self.offer.amount - self.raised()) / self.offer.price
        return min(needed.quantize(_UNIT, ROUND_DOWN), self._unsold())

    def _unsold(self) -> Decimal:
        assert self.offer is not None
        return self.offer.offered - _sum(t.units for t in self.trades if t.seller is None)

    def _issues(self, owner: Hashable) -> bool:
        return self.offer is not None and owner == self.offer.issuer

    @staticmethod
    def _cancel(order: Order, reason: str) -> None:
        order.status, order.reason = "Cancelled", reason
