"""Local installation: embedded PostgreSQL, a file-based broker, the supervisor, secrets."""
