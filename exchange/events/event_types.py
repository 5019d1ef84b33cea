"""The type of test events, with its description."""

from __future__ import annotations

EVENT_TYPES = {"webhook.test": "You requested a test event"}
