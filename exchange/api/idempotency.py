"""`Idempotency-Key` of money-moving POSTs: reading it, and answering a key once.

A view whose service runs wholly in one transaction wraps it in `answer_once`. A view whose
service looks at the network first passes the claim of `read_key` down and answers with
`answer_of` what the service gave.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from django.db import transaction
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON, encode, plainly
from exchange.api.authentication import caller_of
from exchange.core.errors import InvalidRequest
from exchange.core.idempotency import IdempotencyClaim, StoredResponse, claim_key, store_response
from exchange.core.ids import parse_id

HEADER = "Idempotency-Key"
_LONGEST = 255
_sorted = msgspec.json.Encoder(order="sorted")


def read_key(request: Request) -> IdempotencyClaim | None:
    """What the request's `Idempotency-Key` stands for; None without the header.

    Its scope is the organisation, the method and the path without the query (unknown query
    parameters are ignored, so they cannot make another request of it), ids in lower case.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not (1 <= len(key) <= _LONGEST and key.isascii() and key.isprintable() and key.strip()):
        raise InvalidRequest(f"{HEADER} must be 1 to {_LONGEST} printable ASCII characters")
    return IdempotencyClaim(
        organisation_id=caller_of(request).organisation_id,
        method=str(request.method),
        path=canonical_path(request.path),
        key=key,
        body_hash=body_hash(request.data),
    )


def canonical_path(path: str) -> str:
    """`path` with each id in it as the API writes ids, since views take other spellings too."""
    return "/".join(str(parse_id(part) or part) for part in path.split("/"))


def body_hash(body: Any) -> str:
    """SHA-256, in hex, of the canonical form of a parsed body.

    Fields in any order and numbers written differently (`10`, `10.0`, `1e1`) hash alike.
    """
    return hashlib.sha256(_sorted.encode(plainly(body))).hexdigest()


def answer_once(request: Request, run: Callable[[], Answer]) -> Answer:
    """The answer of `run`, or the first answer when the request repeats one.

    With a key, `run` and the keeping of its answer are one transaction; an error it raises rolls
    back both and is not kept.
    """
    claim = read_key(request)
    if claim is None:
        return run()
    with transaction.atomic():
        first = claim_key(claim)
        if first is not None:
            return answer_of(first)
        answer = run()
        text = encode(answer.content_data).decode()
        store_response(claim, StoredResponse(answer.status_code, answer.message, text))
    return answer


def answer_of(stored: StoredResponse) -> Answer:
    """Put a stored response in the envelope; one that is given again is marked as a replay."""
    return Answer(
        RawJSON(stored.data),
        stored.message,
        status=stored.status_code,
        headers={"Idempotent-Replayed": "true"} if stored.replayed else None,
    )
