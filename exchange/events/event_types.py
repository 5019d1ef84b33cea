"""The type of test events, with its description."""

EVENT_TYPES = {"webhook.test": "You requested a test event"}
