"""Local installation: embedded PostgreSQL and broker, the provider's sandbox and outcomes set at it,
demo, supervisor.
"""
