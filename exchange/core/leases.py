"""Leases: one worker owns a row until `leased_until`; then the row is available again.

`attempts` counts the leases. `claimed_by` is the token of the latest one: every write under a lease
has it in the WHERE, and no changed row means that the lease expired and another worker took over.
The lease of a worker that died expires by itself. Webhook events are leased under the same
conditions by a statement of their own (`exchange.events.services.deliveries`).
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from exchange.core.ids import new_reference


def available(now: datetime) -> Q:
    """Match rows without a lease, or with an expired one."""
    return Q(leased_until=None) | Q(leased_until__lte=now)


def leased(now: datetime | Now) -> Q:
    """Match rows whose lease expires after `now`."""
    return Q(leased_until__gt=now)


def acquire(rows: QuerySet[Any], *, prefix: str, until: datetime, **changes: Any) -> str | None:
    """Lease the one row of `rows` and apply `changes`; return the token, which has the `prefix`.

    Returns None when the row does not match or is leased: compare and set, so only one of several
    workers gets it. `rows` may have more conditions.
    """
    token = new_reference(prefix)
    taken = rows.filter(available(timezone.now())).update(
        claimed_by=token, leased_until=until, attempts=F("attempts") + 1, **changes
    )
    return token if taken else None


def release(rows: QuerySet[Any], token: str, **changes: Any) -> bool:
    """End the lease `token` and apply `changes`; return False when the lease was lost."""
    return rows.filter(claimed_by=token).update(leased_until=None, **changes) == 1


def claim_due(rows: QuerySet[Any], column: str, duration: timedelta) -> bool:
    """Claim the work of a row that is due at `column`; return False unless it is due and unclaimed.

    Postpones the work by `duration`, in case the worker dies.
    """
    now = timezone.now()
    return rows.filter(**{f"{column}__lte": now}).update(**{column: now + duration}) == 1
