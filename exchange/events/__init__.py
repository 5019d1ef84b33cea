"""The outbox: events, and their delivery to webhook endpoints."""
