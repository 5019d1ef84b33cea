"""Idempotency keys: claimed, and their responses stored, in the transaction of the effect."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from exchange.core.database import LOCK_NOT_AVAILABLE, failed_inside, fetch_one, sqlstate
from exchange.core.errors import DomainError, IdempotencyKeyReused, RequestInProgress
from exchange.core.models import IdempotencyRecord, current_month
from exchange.core.querysets import purge

# SQLSTATE that `claim_idempotency_key` raises for another body.
_KEY_REUSED = "XI422"


@dataclass(frozen=True, slots=True)
class IdempotencyClaim:
    """One key of one organisation for one method and full path, with the hash of the body."""

    organisation_id: UUID
    method: str
    path: str
    key: str
    body_hash: str

    def key_fields(self) -> dict[str, str]:
        """Return the claim without its organisation, as SQL functions take it."""
        return {name: getattr(self, name) for name in ("method", "path", "key", "body_hash")}


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The response to a money-moving request; `data` is JSON text."""

    status_code: int
    message: str
    data: str
    replayed: bool = False


def retention_period() -> timedelta:
    """Return how long a response is stored under its key."""
    return timedelta(hours=settings.IDEMPOTENCY_RETENTION_HOURS)


def wait_milliseconds() -> int:
    """Return the longest wait for a running first request with the same key."""
    milliseconds: int = settings.IDEMPOTENCY_WAIT_SECONDS * 1000
    return milliseconds


def claim_error(error: DatabaseError) -> DomainError | None:
    """Return the domain error of a failed claim; None for any other database error."""
    state = sqlstate(error)
    if state == LOCK_NOT_AVAILABLE and failed_inside(error, "claim_idempotency_key"):
        return RequestInProgress()
    return IdempotencyKeyReused() if state == _KEY_REUSED else None


def find_response(claim: IdempotencyClaim) -> StoredResponse | None:
    """Return the stored response of `claim`, or None.

    Raises `IdempotencyKeyReused` when the key was used with another body. Does not see a first
    request that has not committed: `claim_key` waits for it.
    """
    oldest = timezone.now() - retention_period()
    record = IdempotencyRecord.objects.filter(
        organisation_id=claim.organisation_id,
        method=claim.method,
        path=claim.path,
        key=claim.key,
        month__range=(oldest.date().replace(day=1), current_month()),
        created_at__gt=oldest,
    ).first()
    if record is None or record.status_code is None:
        return None
    if record.body_hash != claim.body_hash:
        raise IdempotencyKeyReused
    return StoredResponse(record.status_code, record.message, record.data, replayed=True)


_CLAIM = (
    "SELECT status_code, message, data"
    " FROM claim_idempotency_key(%s::uuid, %s::text, %s::text, %s::text, %s::text, %s::integer,"
    " %s::interval)"
)


_STORE = (
    "SELECT store_idempotent_response(%s::uuid, %s::text, %s::text, %s::text, %s::integer,"
    " %s::text, %s::text)"
)


def claim_key(claim: IdempotencyClaim) -> StoredResponse | None:
    """Claim the key in the open transaction; return the stored response if it has one.

    Waits up to `IDEMPOTENCY_WAIT_SECONDS` for a running first request. Raises `RequestInProgress`
    after that, and `IdempotencyKeyReused` for another body; both break the transaction.
    """
    parameters = [*_key_parameters(claim), claim.body_hash]
    try:
        row = fetch_one(_CLAIM, [*parameters, wait_milliseconds(), retention_period()])
    except DatabaseError as error:
        rejection = claim_error(error)
        if rejection is None:
            raise
        raise rejection from error
    if row is None or row[0] is None:
        return None
    status_code, message, data = row
    return StoredResponse(status_code, message, data, replayed=True)


def store_response(claim: IdempotencyClaim, response: StoredResponse) -> None:
    """Store the response of a key claimed in the open transaction."""
    fetch_one(
        _STORE, [*_key_parameters(claim), response.status_code, response.message, response.data]
    )


def execute_once(
    claim: IdempotencyClaim | None, execute: Callable[[], StoredResponse]
) -> StoredResponse:
    """Return the response of `execute`, or the stored one if the claim has one.

    `execute` and the storing of its response are one transaction; an error rolls back both and is
    not stored. Raises as `claim_key`.
    """
    with transaction.atomic():
        if claim is None:
            return execute()
        stored = claim_key(claim)
        if stored is None:
            stored = execute()
            store_response(claim, stored)
        return stored


def _key_parameters(claim: IdempotencyClaim) -> list[object]:
    return [claim.organisation_id, claim.method, claim.path, claim.key]


def purge_idempotency_keys() -> int:
    """Delete expired responses; return the number deleted."""
    old = IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - retention_period())
    return purge(old.order_by("created_at"))
