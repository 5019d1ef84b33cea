"""Queries of trades."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from orders.trades.models import Trade


def trades_of(token_id: UUID) -> QuerySet[Trade]:
    """Return all trades of a token."""
    return Trade.objects.filter(token_id=token_id)


def read_trades(trade_ids: Sequence[UUID]) -> list[str]:
    """Return the documents of trades, in the order of `trade_ids`."""
    found = dict(Trade.objects.filter(id__in=trade_ids).values_list("id", "document"))
    return [found[trade_id] for trade_id in trade_ids]
