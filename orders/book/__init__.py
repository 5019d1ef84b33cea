"""The order book: placing, matching, cancelling."""
