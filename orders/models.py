"""Models of orders, trades and the lifecycle of tokens."""

from orders.book.models import Order, OrderStatus, OrderType, OwnerModel, Trade
from orders.listings.models import TokenAction, TokenProposal

__all__ = [
    "Order",
    "OrderStatus",
    "OrderType",
    "OwnerModel",
    "TokenAction",
    "TokenProposal",
    "Trade",
]
