"""Tasks of the exchange: each calls one service. Names are stable, beat and hints use them."""

from __future__ import annotations

from celery import shared_task

from exchange import wake
from exchange.services import deliveries, housekeeping


@shared_task(name=wake.DELIVER_EVENTS)
def deliver_events() -> None:
    """Deliver every event that is due; hint at another run when there was too much for one."""
    if deliveries.deliver_due().more:
        wake.after_commit(wake.DELIVER_EVENTS)


@shared_task(name="exchange.tasks.purge_idempotency_keys")
def purge_idempotency_keys() -> None:
    """Remove stored answers older than they are promised."""
    housekeeping.purge_idempotency_keys()


@shared_task(name="exchange.tasks.purge_access_tokens")
def purge_access_tokens() -> None:
    """Remove access tokens that expired long ago."""
    housekeeping.purge_access_tokens()
