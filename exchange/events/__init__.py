"""The outbox: events, their deliveries to webhook endpoints, and the feed."""
