"""Event type of trades, and when it is emitted."""

from __future__ import annotations

EVENT_TYPES = {"trade.created": "One of your orders traded"}
