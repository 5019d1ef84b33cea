"""The types of events about API keys and webhook endpoints, and when each is emitted."""

TEST_EVENT_TYPE = "webhook.test"
DISABLED_EVENT_TYPE = "endpoint.disabled"
EVENT_TYPES = {
    "api_key.expiring": "One of your API keys expires within 14 days and has no successor",
    TEST_EVENT_TYPE: "You requested a test event",
    DISABLED_EVENT_TYPE: "A webhook endpoint was disabled because it failed or was gone",
}
