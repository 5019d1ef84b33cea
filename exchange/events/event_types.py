"""The type of the events that test an endpoint, and when one happens."""

from __future__ import annotations

EVENT_TYPES = {"webhook.test": "You asked for a test event"}
