"""Celery tasks of orders. They take no arguments and query the rows that are due."""

import structlog
from celery import shared_task

from exchange.core.actors import Actor
from orders.book import services

_ACTOR = Actor.system("expire_orders")

log = structlog.get_logger(__name__)


@shared_task(name="orders.tasks.expire_orders")
def expire_orders() -> int:
    """Cancel the orders whose time has come; one failure stops no other. Returns their number."""
    expired = 0
    for order_id in services.due_to_expire():
        try:
            expired += services.expire_order(order_id, _ACTOR)
        except Exception:
            log.exception("order_not_expired", order=str(order_id))
    return expired
