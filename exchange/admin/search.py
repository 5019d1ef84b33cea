"""Search of lists by exact amount.

Where amounts have no index, only recent records of a long list are searched.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from exchange.core.ids import first_id_at
from exchange.core.numbers import parse_typed_amount

# The age limit of records searched by an amount without an index.
RECENT_PERIOD = timedelta(days=31)


def recent_condition(id_field: str = "pk") -> Q:
    """Return the condition for records created within `RECENT_PERIOD`."""
    return Q(**{f"{id_field}__gte": first_id_at(timezone.now() - RECENT_PERIOD)})


def amount_condition(term: str, fields: Sequence[str]) -> Q | None:
    """Return the condition for `term` as an amount in one of `fields`; None if it is no amount."""
    amount = parse_typed_amount(term) if fields else None
    return None if amount is None else Q.create([(name, amount) for name in fields], connector=Q.OR)
