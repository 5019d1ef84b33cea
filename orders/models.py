"""Models of orders, trades and the lifecycle of tokens."""

from orders.book.models import Order, OrderStatus, OrderType, OwnerModel
from orders.listings.models import TokenAction, TokenProposal
from orders.trades.models import Trade

__all__ = [
    "Order",
    "OrderStatus",
    "OrderType",
    "OwnerModel",
    "TokenAction",
    "TokenProposal",
    "Trade",
]
