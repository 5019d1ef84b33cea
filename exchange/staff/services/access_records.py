"""Records of access events: an append-only row and a log line."""

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
    """Record `event` in the access of `user`, caused by `by` if another person."""
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
