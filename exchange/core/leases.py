"""Leases: one worker has a row until an instant; when that has come, the row is free again.

A leased row has `leased_until`, and `attempts` counts how often it was taken. `claimed_by` is the
token of the latest lease: whoever writes under a lease puts its token into the WHERE, and no row
changed means that the lease ran out and another worker took over. Nobody has to end the lease of
a worker that died. Webhook events are leased by one statement of their own
(`exchange.events.services.deliveries`), under the same conditions.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from exchange.core.ids import new_reference


def available(now: datetime) -> Q:
    """Match rows that nobody has leased, or whose lease is over."""
    return Q(leased_until=None) | Q(leased_until__lte=now)


def leased(now: datetime | Now) -> Q:
    """Match rows whose lease ends after `now`."""
    return Q(leased_until__gt=now)


def acquire(rows: QuerySet[Any], *, prefix: str, until: datetime, **changes: Any) -> str | None:
    """Lease the one row of `rows` and make `changes`; return the token, a `prefix` before it.

    None when the row is not there, or is leased: compare and set, so of several workers one gets
    the row. `rows` may state more conditions.
    """
    token = new_reference(prefix)
    taken = rows.filter(available(timezone.now())).update(
        claimed_by=token, leased_until=until, attempts=F("attempts") + 1, **changes
    )
    return token if taken else None


def release(rows: QuerySet[Any], token: str, **changes: Any) -> bool:
    """End the lease `token` on the row of `rows` and make `changes`; False when it is lost."""
    return rows.filter(claimed_by=token).update(leased_until=None, **changes) == 1


def claim_due(rows: QuerySet[Any], column: str, lasts: timedelta) -> bool:
    """Take the step of a row that is due at `column`; False when it is not due, or taken.

    The step is planned again for when its worker must have done it, in case the worker dies.
    """
    now = timezone.now()
    return rows.filter(**{f"{column}__lte": now}).update(**{column: now + lasts}) == 1
