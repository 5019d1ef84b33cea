"""Event types of API keys and of tests, and when each is emitted."""

EVENT_TYPES = {
    "api_key.expiring": "One of your API keys expires within 14 days and has no successor",
    "webhook.test": "You requested a test event",
}
