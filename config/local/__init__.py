"""Local installation: embedded PostgreSQL and broker, the provider's sandbox, demo, supervisor."""
