"""Metrics of this process's pools of database connections."""

from django.db import connections

from exchange.core.metrics import POOL_CONNECTIONS, POOL_ERRORS, POOL_LIMIT, POOL_WAITING


def record() -> None:
    """Record the state of each pool, and the time-outs since the last call."""
    for connection in connections.all():
        pool = getattr(connection, "pool", None)
        if pool is None:
            continue
        name, state = connection.alias, pool.pop_stats()
        idle = state["pool_available"]
        POOL_CONNECTIONS.labels(name, "idle").set(idle)
        POOL_CONNECTIONS.labels(name, "busy").set(state["pool_size"] - idle)
        POOL_LIMIT.labels(name).set(state["pool_max"])
        POOL_WAITING.labels(name).set(state["requests_waiting"])
        POOL_ERRORS.labels(name).inc(state.get("requests_errors", 0))
