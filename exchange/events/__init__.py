"""The outbox: what happened, and telling it to webhook endpoints."""
