"""Celery tasks of market data."""

from celery import shared_task

from orders.market import services


@shared_task(name="orders.tasks.write_candles")
def write_candles() -> int:
    """Write the candles of closed hours; return how many times it looked for one."""
    return services.write_candles()
