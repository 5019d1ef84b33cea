"""Event type of trades, and when it is emitted."""

EVENT_TYPES = {"trade.created": "One of your orders traded"}
