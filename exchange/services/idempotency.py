"""Claims an idempotency key, and keeps its answer, in the transaction of the effect.

For operations that run wholly in one transaction. A duplicate that arrives meanwhile waits inside
PostgreSQL on the unique index (`exchange/sql/idempotency.sql`), so a process that dies leaves no
claim behind. `exchange.idempotency` has what a claim and an answer are.
"""

from __future__ import annotations

from django.db import DatabaseError

from exchange.database import fetch_one
from exchange.idempotency import (
    Answer,
    IdempotencyClaim,
    claim_refusal,
    kept_for,
    wait_milliseconds,
)

_CLAIM = (
    "SELECT status_code, message, data"
    " FROM claim_idempotency_key(%s::uuid, %s::text, %s::text, %s::text, %s::text, %s::integer,"
    " %s::interval)"
)
_STORE = (
    "SELECT store_idempotent_answer(%s::uuid, %s::text, %s::text, %s::text, %s::integer,"
    " %s::text, %s::text)"
)


def claim_key(claim: IdempotencyClaim) -> Answer | None:
    """Claims the key in the open transaction: None when it is ours now, else the first answer.

    Waits for a running first request, at most `IDEMPOTENCY_WAIT_SECONDS`. Raises `StillRunning`
    after that, and `IdempotencyKeyReused` for another body; the transaction is broken then.
    """
    parameters = [*_address(claim), claim.body_hash]
    try:
        row = fetch_one(_CLAIM, [*parameters, wait_milliseconds(), kept_for()])
    except DatabaseError as error:
        refusal = claim_refusal(error)
        if refusal is None:
            raise
        raise refusal from error
    if row is None or row[0] is None:
        return None
    status_code, message, data = row
    return Answer(status_code, message, data, replayed=True)


def store_answer(claim: IdempotencyClaim, answer: Answer) -> None:
    """Keeps the answer of a key that was claimed in the open transaction."""
    fetch_one(_STORE, [*_address(claim), answer.status_code, answer.message, answer.data])


def _address(claim: IdempotencyClaim) -> list[object]:
    return [claim.organisation_id, claim.method, claim.path, claim.key]
