"""Metrics for Prometheus: of requests and tasks, and of what PostgreSQL knows.

`exchange.core.metrics` declares what processes record. `METRICS_LISTEN` makes them serve it.
"""
