"""Idempotency keys: what a client's key stands for, and the answer kept under it.

The key is claimed, and the answer kept, inside the transaction of the effect by the functions in
`exchange/sql/idempotency.sql`; here is what services and edges share of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from exchange.database import LOCK_NOT_AVAILABLE, sqlstate
from exchange.errors import DomainError, IdempotencyKeyReused, StillRunning
from exchange.models import IdempotencyRecord

# What `claim_idempotency_key` raises for another body.
_KEY_REUSED = "XI422"


@dataclass(frozen=True, slots=True)
class IdempotencyClaim:
    """One key of one organisation for one method and full path, with the hash of the body."""

    organisation_id: UUID
    method: str
    path: str
    key: str
    body_hash: str

    def as_form(self) -> dict[str, str]:
        """The claim as the SQL functions take it, but for the organisation."""
        return {
            "method": self.method,
            "path": self.path,
            "key": self.key,
            "body_hash": self.body_hash,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What a money-moving request answers. `data` is JSON text, spliced in as it stands."""

    status_code: int
    message: str
    data: str
    replayed: bool = False


def kept_for() -> timedelta:
    """How long an answer is kept under its key."""
    return timedelta(hours=settings.IDEMPOTENCY_KEPT_HOURS)


def wait_milliseconds() -> int:
    """How long a request waits at most for a running first one under its key."""
    milliseconds: int = settings.IDEMPOTENCY_WAIT_SECONDS * 1000
    return milliseconds


def claim_refusal(error: DatabaseError) -> DomainError | None:
    """What PostgreSQL said of a claim with `error`; None when the error is about something else."""
    state = sqlstate(error)
    if state == LOCK_NOT_AVAILABLE:
        return StillRunning()
    return IdempotencyKeyReused() if state == _KEY_REUSED else None


def find_answer(claim: IdempotencyClaim) -> Answer | None:
    """The answer already given under `claim`, or None.

    Raises `IdempotencyKeyReused` when the key came with another body before. A first request
    that has not committed yet is not seen here: the claim inside its transaction waits for it.
    """
    record = IdempotencyRecord.objects.filter(
        organisation_id=claim.organisation_id,
        method=claim.method,
        path=claim.path,
        key=claim.key,
        created_at__gt=timezone.now() - kept_for(),
    ).first()
    if record is None or record.status_code is None:
        return None
    if record.body_hash != claim.body_hash:
        raise IdempotencyKeyReused
    return Answer(record.status_code, record.message, record.data, replayed=True)
