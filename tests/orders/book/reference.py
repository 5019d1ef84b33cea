"""A reference of the exchange for one token: slow, obvious, and independent of `orders`.

Nothing is carried along. What an order has been charged is the sum of its fills, what it reserves
is what its rest can still cost, what an owner has is what it began with and what its orders came
to. Only arrivals and trades are remembered, in lists. Arithmetic is exact; amounts are rounded
where they are charged, and nowhere else: what a buyer pays up, what a seller receives down, to the
currency's decimals. All of it is to be used inside `exactly()`, or products of large amounts lose
digits.
"""

from __future__ import annotations

from collections.abc import Hashable
from decimal import ROUND_DOWN, Decimal

from tests.orders.book.reference_orders import (
    EXPIRED,
    LIMIT,
    NOTHING,
    OWN_ORDER,
    SOLD_OUT,
    UNFILLED,
    Kind,
    Order,
    Raise,
    Refusal,
    Rules,
    Trade,
    total,
)

_UNIT = Decimal("0.00000001")
_ZERO = Decimal(0)
_LARGEST = Decimal(10) ** 15


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
        self.halted = False
        self._version = 0
        self._turns = 0
        self._money = money
        self._units = units

    # --- What is asked of it -----------------------------------------------------------------

    def place(
        self,
        owner: Hashable,
        side: str,
        price: Decimal | None,
        units: Decimal | None,
        kind: Kind = LIMIT,
    ) -> Order:
        """The order as it stands after it was matched. Raises `Refusal`; nothing happens then.

        A market order has no price, and no units when it spends a sum.
        """
        buys = side == "Buy"
        if self.halted:
            raise Refusal("token_halted")
        if kind.market:
            price = self._market_price(owner, kind.collar, buys=buys)
            if price is None:
                raise Refusal("no_liquidity")
        assert price is not None
        order = Order(len(self.orders), owner, buys, price, units or _ZERO, self.rules, kind)
        order.version = self._version
        if kind.spend is not None:
            order.units = self._most_units(order, price)
        self._check(order)
        self._check_kind(order)
        if self.raising:
            self._buy_from_issuer(order)
        else:
            self._match(order)
        self._settle(order)
        self.orders.append(order)
        self._queue(order)
        return order

    def amend(
        self,
        order: Order,
        price: Decimal | None,
        units: Decimal | None,
        expected: Decimal | None = None,
    ) -> None:
        """Give an order another price or total. Raises `Refusal`; nothing happens then."""
        terms = order.price, order.units
        price, units = price or order.price, units or order.units
        self._check_amendment(order, price, units, expected)
        order.price, order.units = price, units
        try:
            self._check(order)
            self._check_kind(order)
        except Refusal:
            order.price, order.units = terms
            raise
        if price != terms[0] or units > terms[1]:
            self._queue(order)
        self._match(order)
        self._settle(order)

    def change_fees(self, buy: Decimal, sell: Decimal) -> None:
        """Change what orders cost from now on."""
        rules = Rules(self.rules.decimals, buy, sell, self.rules.least)
        self._version += rules != self.rules
        self.rules = rules

    def expire(self) -> int:
        """Cancel what is due. Returns how many."""
        found = [o for o in self.orders if o.due and o.status == "Active"]
        for order in found:
            self._cancel(order, EXPIRED)
        return len(found)

    def cancel(self, order: Order) -> bool:
        """False when the order is over already."""
        if order.status != "Active":
            return False
        self._cancel(order, "")
        return True

    # --- What everybody has ------------------------------------------------------------------

    def reserved_money(self, owner: Hashable) -> Decimal:
        return total(o.reserved for o in self.orders if o.owner == owner and o.buys)

    def reserved_units(self, owner: Hashable) -> Decimal:
        return total(o.reserved for o in self.orders if o.owner == owner and not o.buys)

    def available_money(self, owner: Hashable) -> Decimal:
        spent = total(t.buyer_value + t.buyer_fee for t in self.trades if t.buyer.owner == owner)
        got = total(
            t.seller_value - t.seller_fee
            for t in self.trades
            if (t.seller is not None and t.seller.owner == owner)
            or (t.seller is None and not self.raising and self._issues(owner))
        )
        return self._money.get(owner, _ZERO) - spent + got - self.reserved_money(owner)

    def available_units(self, owner: Hashable) -> Decimal:
        bought = total(t.units for t in self.trades if t.buyer.owner == owner)
        sold = total(
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
        return total(t.seller_value for t in self.trades if t.seller is None)

    def fees(self) -> Decimal:
        """The exchange's income: what buyers paid less what sellers got."""
        return total(
            t.buyer_value + t.buyer_fee - t.seller_value + t.seller_fee for t in self.trades
        )

    def book(self, side: str) -> list[Order]:
        """Open orders of a side, best first: price, then time."""
        found = [o for o in self.orders if o.status == "Active" and o.buys == (side == "Buy")]
        return sorted(found, key=lambda o: (-o.price if o.buys else o.price, o.turn))

    def by_turn(self) -> list[Order]:
        """All orders by their place in time."""
        return sorted(self.orders, key=lambda o: o.turn)

    # --- How it works ------------------------------------------------------------------------

    def _queue(self, order: Order) -> None:
        """Give an order the last place in time."""
        self._turns += 1
        order.turn = self._turns

    def _check_amendment(
        self, order: Order, price: Decimal, units: Decimal, expected: Decimal | None
    ) -> None:
        if order.status != "Active":
            raise Refusal("state_conflict")
        if expected is not None and expected != order.filled:
            raise Refusal("filled_changed")
        if units <= order.filled:
            raise Refusal("below_filled")
        grows = price != order.price or units > order.units
        if grows and order.version != self._version:
            raise Refusal("terms_changed")
        if self.halted:
            raise Refusal("token_halted")
        if order.due:
            raise Refusal("already_expired")

    def _market_price(self, owner: Hashable, collar: Decimal, *, buys: bool) -> Decimal | None:
        """The worst price that a market order takes, if there is any to take."""
        if self.offer and self.raising:
            best = self.offer.price
        else:
            book = self.book("Sell" if buys else "Buy")
            others = [o.price for o in book if o.owner != owner and not o.due]
            if not others:
                return None
            best = others[0]
        if buys:
            return max(best, self.rules.rounded(best * (100 + collar) / 100, up=False))
        worst = self.rules.rounded(best * (100 - collar) / 100, up=True)
        return min(best, max(worst, self.rules.minor))

    @staticmethod
    def _most_units(order: Order, price: Decimal) -> Decimal:
        """The units at `price` that the sum of an order still pays for, with the fee on all."""
        assert order.kind.spend is not None
        left = order.kind.spend - order.filled_value - order.fee_at(order.filled_value)
        each = price + order.fee_at(price)
        return (left / each).quantize(_UNIT, ROUND_DOWN)

    def _taken(self, order: Order) -> list[Order]:
        """What an order would meet, best first."""
        if self.raising:
            return []
        book = self.book("Sell" if order.buys else "Buy")
        return [o for o in book if not o.due and self._crosses(order, o)]

    def _fillable(self, order: Order, taken: list[Order]) -> Decimal:
        """The units that an order would get at once: before the first one of its own owner."""
        if self.offer and self.raising:
            units = min(order.units, self._for_sale())
            return units if self.offer.price * units >= self.rules.minor else _ZERO
        left = order.units
        for maker in taken:
            if maker.owner == order.owner or left == 0:
                break
            units = min(left, maker.rest)
            if maker.price * units < self.rules.minor:
                if units == maker.rest:
                    continue
                break
            left -= units
        return order.units - left

    def _check_kind(self, order: Order) -> None:
        taken = self._taken(order)
        if order.kind.post_only and taken:
            raise Refusal("would_take")
        if order.kind.force == "FOK" and self._fillable(order, taken) < order.units:
            raise Refusal("not_fillable")

    def _settle(self, order: Order) -> None:
        """What becomes of an order after its fills."""
        if order.kind.spend is not None and order.trades:
            order.units = order.filled
        if order.rest == 0:
            order.status, order.reason = "Fulfilled", ""
        elif order.status == "Active" and order.price * order.rest < self.rules.minor:
            self._cancel(order, NOTHING)
        elif order.status == "Active" and order.kind.force == "IOC":
            self._cancel(order, UNFILLED)

    @staticmethod
    def _crosses(order: Order, maker: Order) -> bool:
        return maker.price <= order.price if order.buys else maker.price >= order.price

    def _check(self, order: Order) -> None:
        value = self.rules.amount(order.price * order.units)
        if self.offer and self.raising:
            self._check_raise(order, self.offer)
        if value == 0:
            raise Refusal("worth_nothing")
        if value > _LARGEST:
            raise Refusal("amount_too_large")
        if order.buys and value < self.rules.least:
            raise Refusal("below_min_trade")
        spend = order.kind.spend
        wanted = order.reserved if spend is None else spend
        # One that is to change is among the orders: what it wants is set aside already.
        own = order.reserved if order in self.orders else _ZERO
        if order.buys and self.available_money(order.owner) + own < wanted:
            raise Refusal("insufficient_balance")
        if not order.buys and self.available_units(order.owner) + own < wanted:
            raise Refusal("insufficient_units")

    @staticmethod
    def _check_raise(order: Order, offer: Raise) -> None:
        if not order.buys:
            raise Refusal("in_primary_raise")
        if order.owner == offer.issuer:
            raise Refusal("own_raise")
        if order.price < offer.price:
            raise Refusal("below_offer")
        if order.kind.post_only:
            raise Refusal("post_only_in_raise")

    def _match(self, order: Order) -> None:
        for maker in self.book("Sell" if order.buys else "Buy"):
            wants = order.rest if order.kind.spend is None else _LARGEST
            if wants == 0 or not self._crosses(order, maker):
                return
            if maker.due:
                self._cancel(maker, EXPIRED)
                continue
            if maker.owner == order.owner:
                self._cancel(order, OWN_ORDER)
                return
            units = min(wants, maker.rest)
            if order.kind.spend is not None:
                units = min(units, self._most_units(order, maker.price))
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
        wants = order.rest
        if order.kind.spend is not None:
            wants = self._most_units(order, offer.price)
        units = min(wants, self._for_sale())
        exact = offer.price * units
        if exact < self.rules.minor and units == wants:
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
        return self.offer.offered - total(t.units for t in self.trades if t.seller is None)

    def _issues(self, owner: Hashable) -> bool:
        return self.offer is not None and owner == self.offer.issuer

    @staticmethod
    def _cancel(order: Order, reason: str) -> None:
        order.status, order.reason = "Cancelled", reason
