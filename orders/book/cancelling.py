"""Cancel many orders of an organisation at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from uuid import UUID

import structlog
from django.db import transaction

from exchange.core.actors import Actor
from orders.book.models import Order, OrderStatus
from orders.book.services import call_closing, retry_if_rolled_back

MOST_AT_ONCE = 1000
NOT_CANCELLED = "try_again"

log = structlog.get_logger(__name__)


@dataclass
class Cancellation:
    """How many orders were cancelled, which were not, and how many are still open."""

    cancelled: int = 0
    failed: list[UUID] = field(default_factory=list)
    remaining: int = 0


def cancel_open_orders(
    *, organisation_id: UUID, chosen: Mapping[str, UUID], actor: Actor
) -> Cancellation:
    """Cancel up to 1,000 open orders of an organisation, oldest first within a token.

    `chosen` limits them by `token_id` and `member_id`. Each token is a transaction of its own, so
    what is cancelled stays cancelled if a later one fails.
    """
    found = Order.objects.filter(
        organisation_id=organisation_id, status=OrderStatus.ACTIVE, **chosen
    )
    wanted = found.order_by("token_id", "seq").values_list("token_id", "id")[:MOST_AT_ONCE]
    result = Cancellation()
    for token_id, group in groupby(wanted, key=lambda row: row[0]):
        order_ids = [order_id for _, order_id in group]
        cancel = partial(call_closing, "cancel_orders_on", token_id, order_ids, "", actor=actor)
        try:
            result.cancelled += retry_if_rolled_back(transaction.atomic(cancel))
        except Exception:
            log.exception("orders_not_cancelled", token=str(token_id), orders=len(order_ids))
            result.failed += order_ids
    result.remaining = found.count()
    return result
