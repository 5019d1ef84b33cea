"""Orders, trades and terms of the reference exchange (`reference`): plain and exact."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import (
    ROUND_CEILING,
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

NOTHING = "worth_nothing"
EXPIRED = "expired"
UNFILLED = "unfilled"
OWN_ORDER = "self_trade"
SOLD_OUT = "raise_sold_out"


def total(amounts: Iterable[Decimal]) -> Decimal:
    """Return the sum of `amounts`, a Decimal also of none."""
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


@dataclass(frozen=True)
class Kind:
    """How an order is to be filled. `collar` is percent, `spend` the sum of a market buy."""

    market: bool = False
    force: str = "GTC"
    post_only: bool = False
    spend: Decimal | None = None
    collar: Decimal = Decimal(5)


LIMIT = Kind()


@dataclass(eq=False)
class Order:
    """One order, the `number`th one. `due` says that its time has come.

    `turn` is its place in time, `version` that of the rules when it was placed.
    """

    number: int
    owner: Hashable
    buys: bool
    price: Decimal
    units: Decimal
    rules: Rules
    kind: Kind = LIMIT
    due: bool = False
    turn: int = 0
    version: int = 0
    trades: list[Trade] = field(default_factory=list)
    status: str = "Active"
    reason: str = ""

    @property
    def filled(self) -> Decimal:
        return total(t.units for t in self.trades)

    @property
    def rest(self) -> Decimal:
        return self.units - self.filled

    @property
    def filled_value(self) -> Decimal:
        """Price times units of its fills, exactly."""
        return total(t.price * t.units for t in self.trades)

    @property
    def charged(self) -> Decimal:
        return total(t.buyer_value if self.buys else t.seller_value for t in self.trades)

    @property
    def charged_fee(self) -> Decimal:
        return total(t.buyer_fee if self.buys else t.seller_fee for t in self.trades)

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
