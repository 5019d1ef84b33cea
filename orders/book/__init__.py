"""The order book: order placement, matching and cancellation."""
