"""Approvals of many withdrawals at once: they wait for some seconds, in which they can be undone.

Rows own the work: nothing is approved before a bulk's time, however the process that took it ends,
and each row is decided in a transaction of its own that also stores its result. Another worker
continues after the last result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from exchange.core import leases
from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context
from exchange.core.errors import Conflict, DomainError, StateConflict
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from wallets.withdrawals.models import BulkApproval, BulkStatus, Withdrawal
from wallets.withdrawals.services.decisions import DECIDE, approve

log = structlog.get_logger(__name__)

_LEASE = timedelta(minutes=2)
_MAX_DUE = 20
_DATABASE_ERROR = "Database error. Check the withdrawal before you try again."


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A withdrawal as it was shown: its version and the codes of its flags."""

    withdrawal_id: UUID
    version: int
    flags: Sequence[str]


def queue_approvals(*, rows: Sequence[ShownRow], reason: str, user: StaffUser) -> BulkApproval:
    """Queue the approval of `rows`, which starts after `BULK_APPROVAL_UNDO_SECONDS`.

    Raises `Forbidden`. What each row raises is its result.
    """
    authorize_staff(user, DECIDE, "You do not have permission to approve withdrawals")
    now = timezone.now()
    return BulkApproval.objects.create(
        approver=user,
        rows=[
            {"id": str(row.withdrawal_id), "version": row.version, "flags": sorted(row.flags)}
            for row in rows
        ],
        reason=reason,
        created_at=now,
        starts_at=now + timedelta(seconds=settings.BULK_APPROVAL_UNDO_SECONDS),
    )


def undo_approvals(*, bulk_id: UUID, user: StaffUser) -> None:
    """Undo one's own bulk before it starts: nothing is approved. Raises `StateConflict`."""
    undone = BulkApproval.objects.filter(
        pk=bulk_id, approver=user, status=BulkStatus.WAITING, starts_at__gt=Now()
    ).update(status=BulkStatus.UNDONE, finished_at=timezone.now())
    if not undone:
        raise StateConflict("It is too late to undo: the approvals have started")


def run_due_approvals() -> int:
    """Carry out the bulks whose time has come; return their number."""
    due = BulkApproval.objects.filter(status=BulkStatus.WAITING, starts_at__lte=Now())
    ids = list(due.order_by("starts_at").values_list("pk", flat=True)[:_MAX_DUE])
    for bulk_id in ids:
        try:
            run_approvals(bulk_id)
        except DatabaseError:
            log.exception("bulk_approval_failed", bulk=str(bulk_id))
    return len(ids)


def run_approvals(bulk_id: UUID) -> None:
    """Carry out a bulk, from the row after its last result; nothing while another worker does."""
    rows = BulkApproval.objects.filter(pk=bulk_id)
    due = rows.filter(status=BulkStatus.WAITING, starts_at__lte=Now())
    token = leases.acquire(due, prefix="bulk_", until=timezone.now() + _LEASE)
    if token is None:
        return
    bulk = rows.select_related("approver").get()
    actor = Actor.staff(bulk.approver.pk, str(bulk.approver))
    for row in bulk.rows[len(bulk.results) :]:
        with audit_context(actor, f"bulk:{bulk.pk}"), transaction.atomic():
            result = attempt(partial(_approve, bulk, row))
            bulk.results = [*bulk.results, result]
            kept = rows.filter(claimed_by=token, status=BulkStatus.WAITING)
            until = timezone.now() + _LEASE
            if not kept.update(results=bulk.results, leased_until=until):
                transaction.set_rollback(True)
                return
    leases.release(rows, token, status=BulkStatus.DONE, finished_at=timezone.now())


def attempt(decide: Callable[[], Withdrawal]) -> dict[str, Any]:
    """Return the result of one row: the `status` it has now, or the `error` and its kind."""
    try:
        with transaction.atomic():
            return {"status": str(decide().status)}
    except DomainError as error:
        return {"error": error.message, "outdated": isinstance(error, Conflict)}
    except DatabaseError:
        # The other rows are decided separately.
        log.exception("withdrawal_decision_failed")
        return {"error": _DATABASE_ERROR, "outdated": False}


def _approve(bulk: BulkApproval, row: dict[str, Any]) -> Withdrawal:
    return approve(
        withdrawal_id=UUID(row["id"]),
        version=row["version"],
        approver=bulk.approver,
        reason=bulk.reason,
        seen_flags=set(row["flags"]),
    )
