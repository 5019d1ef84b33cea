"""Models of orders and trades."""

from orders.book.models import Order, OrderStatus, OrderType, OwnerModel
from orders.trades.models import Trade

__all__ = ["Order", "OrderStatus", "OrderType", "OwnerModel", "Trade"]
