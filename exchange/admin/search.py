"""What the search of a list finds besides words: an amount, compared exactly.

A long list whose amounts have no index is searched for them among its records of late.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from exchange.core.ids import first_id_at
from exchange.core.numbers import parse_typed_amount

# How far back amounts without an index are looked for.
RECENT_PERIOD = timedelta(days=31)


def recent_condition(id_field: str = "pk") -> Q:
    """Records whose id was made within `OF_LATE`."""
    return Q(**{f"{id_field}__gte": first_id_at(timezone.now() - RECENT_PERIOD)})


def amount_condition(term: str, fields: Sequence[str]) -> Q | None:
    """Records that have the amount `term` in one of `fields`; None when it is no amount."""
    amount = parse_typed_amount(term) if fields else None
    return None if amount is None else Q.create([(name, amount) for name in fields], connector=Q.OR)
