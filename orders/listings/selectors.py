"""What ending a token's trading would do now: orders to cancel, buyers to refund. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Max, Min, Q, Sum

from exchange.core.numbers import format_plain
from exchange.tokens.models import Token
from orders.book.models import Order, OrderStatus, OrderType
from orders.trades.models import Trade
from wallets.ledger.models import Account, AccountKind

_ZERO = Decimal(0)
_SALES = Q(sell_order__isnull=True)


@dataclass(frozen=True, slots=True)
class BookSummary:
    """What stands in the book: how many orders a side, what is reserved, the best prices."""

    buys: int
    sells: int
    reserved_money: Decimal
    reserved_units: Decimal
    best_bid: Decimal | None
    best_ask: Decimal | None


@dataclass(frozen=True, slots=True)
class Refund:
    """What one buyer of a raise gets back, fee included, and which units are taken back.

    `free` are the buyer's available units: with fewer than `tokens` the raise cannot be cancelled.
    """

    owner_id: UUID
    owner: str
    purchases: int
    amount: Decimal
    tokens: Decimal
    available: Decimal

    @property
    def is_possible(self) -> bool:
        """Whether the units can be taken back."""
        return self.available >= self.tokens


def summarise_book(token: Token) -> BookSummary:
    """The Active orders of the token."""
    buys, sells = Q(type=OrderType.BUY), Q(type=OrderType.SELL)
    found = Order.objects.filter(buys | sells, token=token, status=OrderStatus.ACTIVE).aggregate(
        buys=Count("id", filter=buys),
        sells=Count("id", filter=sells),
        reserved_money=Sum("reserved", filter=buys, default=_ZERO),
        reserved_units=Sum("reserved", filter=sells, default=_ZERO),
        best_bid=Max("price", filter=buys),
        best_ask=Min("price", filter=sells),
    )
    return BookSummary(**found)


def list_refunds(token: Token) -> list[Refund]:
    """What cancelling an open raise gives back, by buyer, the largest first."""
    if token.completed_raise:
        return []
    found = (
        Trade.objects.filter(_SALES, token=token)
        .values("buy_order__owner_id", "buy_order__member__name", "buy_order__organisation__name")
        .annotate(
            purchases=Count("id"),
            paid=Sum("buyer_value") + Sum("buyer_fee"),
            bought=Sum("tokens"),
        )
        .order_by("-paid", "buy_order__owner_id")
    )
    free = dict(
        Account.objects.filter(asset_id=str(token.id), kind=AccountKind.AVAILABLE).values_list(
            "owner_id", "balance"
        )
    )
    return [
        Refund(
            owner_id=row["buy_order__owner_id"],
            owner=row["buy_order__member__name"] or row["buy_order__organisation__name"],
            purchases=row["purchases"],
            amount=row["paid"],
            tokens=row["bought"],
            available=free.get(row["buy_order__owner_id"]) or _ZERO,
        )
        for row in found
    ]


def raise_version(token: Token) -> str:
    """Changes when a sale or the raise's end changes what cancelling the token would do."""
    return f"{'complete' if token.completed_raise else 'open'}:{format_plain(token.total_raised)}"
