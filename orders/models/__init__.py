"""Tables of orders and trades."""

from orders.models.orders import Order, OrderStatus, OrderType, OwnerModel
from orders.models.trades import Trade

__all__ = ["Order", "OrderStatus", "OrderType", "OwnerModel", "Trade"]
