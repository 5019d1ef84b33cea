"""Event types of orders, and when each is emitted."""

EVENT_TYPES = {
    "order.created": "An order was placed",
    "order.updated": "Price or total of an order were amended",
    "order.cancelled": "The open remainder of an order was cancelled",
    "order.fulfilled": "An order was filled completely",
}
