"""Newest rows that match any of several conditions, each found by an index of its own."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet

NEWEST = ("-created_at", "-id")


def newest_matching(
    rows: QuerySet[Any], branches: Sequence[Q], limit: int, order: Sequence[str] = NEWEST
) -> QuerySet[Any]:
    """Return the first `limit` of `rows` in `order` that match one of `branches`, at least one.

    A disjunction of conditions would be read whole and sorted; each branch stops at `limit`.
    """
    if len(branches) == 1:
        return rows.filter(branches[0]).order_by(*order)[:limit]
    every = rows.model._default_manager.all()
    first, *others = (
        every.filter(branch).order_by(*order).values("pk")[:limit] for branch in branches
    )
    return rows.filter(pk__in=first.union(*others, all=True)).order_by(*order)[:limit]
