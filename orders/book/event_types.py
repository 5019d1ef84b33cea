"""Types of the events about orders, and when each happens."""

from __future__ import annotations

EVENT_TYPES = {
    "order.created": "An order was placed",
    "order.cancelled": "The open rest of an order was cancelled",
    "order.fulfilled": "An order was filled to the last unit",
}
