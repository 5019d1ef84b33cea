"""Keeping what happens to people's access: a row that stays, and a line in the log."""

from __future__ import annotations

import structlog
from django.utils import timezone

from exchange.staff.models import AccessEvent, AccessRecord, StaffUser

logger = structlog.get_logger(__name__)

_DETAILS_MAX_LENGTH = 300


def record_access_event(
    *,
    event: AccessEvent,
    user: StaffUser,
    by: StaffUser | None = None,
    address: str = "",
    details: str = "",
) -> AccessRecord:
    """Notes that `event` happened to the access of `user`, done by `by` when that is another."""
    logger.info(
        "staff.access",
        event_kind=str(event),
        user=str(user.pk),
        by=str(by.pk) if by else None,
        address=address,
        details=details,
    )
    return AccessRecord.objects.create(
        at=timezone.now(),
        event=event,
        user=user,
        by=by,
        address=address,
        details=details[:_DETAILS_MAX_LENGTH],
    )
