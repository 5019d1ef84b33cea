"""`Idempotency-Key` of money-moving POSTs: reading it, and answering a key once.

A view whose service runs wholly in one transaction wraps it in `respond_once`. A view whose
service looks at the network first passes the claim of `read_key` down and answers with
`stored_to_response` what the service gave.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from django.db import transaction
from rest_framework.request import Request

from exchange.api.authentication import get_caller
from exchange.api.responses import RawJSON, SuccessResponse, encode_json, to_json_types
from exchange.core.errors import InvalidRequest
from exchange.core.idempotency import IdempotencyClaim, StoredResponse, claim_key, store_response
from exchange.core.ids import parse_id

HEADER = "Idempotency-Key"
_MAX_LENGTH = 255
_sorted = msgspec.json.Encoder(order="sorted")


def read_key(request: Request) -> IdempotencyClaim | None:
    """What the request's `Idempotency-Key` stands for; None without the header.

    Its scope is the organisation, the method and the path without the query (unknown query
    parameters are ignored, so they cannot make another request of it), ids in lower case.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not (1 <= len(key) <= _MAX_LENGTH and key.isascii() and key.isprintable() and key.strip()):
        raise InvalidRequest(f"{HEADER} must be 1 to {_MAX_LENGTH} printable ASCII characters")
    return IdempotencyClaim(
        organisation_id=get_caller(request).organisation_id,
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
    return hashlib.sha256(_sorted.encode(to_json_types(body))).hexdigest()


def respond_once(request: Request, run: Callable[[], SuccessResponse]) -> SuccessResponse:
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
            return stored_to_response(first)
        answer = run()
        text = encode_json(answer.payload).decode()
        store_response(claim, StoredResponse(answer.status_code, answer.message, text))
    return answer


def stored_to_response(stored: StoredResponse) -> SuccessResponse:
    """Put a stored response in the envelope; one that is given again is marked as a replay."""
    return SuccessResponse(
        RawJSON(stored.data),
        stored.message,
        status=stored.status_code,
        headers={"Idempotent-Replayed": "true"} if stored.replayed else None,
    )
