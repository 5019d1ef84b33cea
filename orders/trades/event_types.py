"""The type of the events about trades, and when one happens."""

from __future__ import annotations

EVENT_TYPES = {"trade.created": "An order of yours traded"}
