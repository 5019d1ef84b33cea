"""`Idempotency-Key` of money-moving POSTs.

A view passes the claim of `read_key` to its service and returns `stored_to_response` of the result.
A view whose service knows no responses wraps it in `respond_once`.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from rest_framework.request import Request

from exchange.api.authentication import get_caller
from exchange.api.responses import RawJSON, SuccessResponse, encode_json, to_json_types
from exchange.core.errors import InvalidRequest
from exchange.core.idempotency import IdempotencyClaim, StoredResponse, execute_once
from exchange.core.ids import parse_id

HEADER = "Idempotency-Key"
_VARIABLE = "HTTP_IDEMPOTENCY_KEY"
_MAX_LENGTH = 255
_sorted = msgspec.json.Encoder(order="sorted")


def read_key(request: Request) -> IdempotencyClaim | None:
    """Return the claim of the request's `Idempotency-Key`; None without the header.

    Its scope is organisation, method and path, ids in lower case. The query of a DELETE counts as
    its body; other methods have none.
    """
    key = request.META.get(_VARIABLE)
    if key is None:
        return None
    if not (1 <= len(key) <= _MAX_LENGTH and key.isascii() and key.isprintable() and key.strip()):
        raise InvalidRequest(f"{HEADER} must be 1 to {_MAX_LENGTH} printable ASCII characters")
    return IdempotencyClaim(
        organisation_id=get_caller(request).organisation_id,
        method=str(request.method),
        path=canonical_path(request.path),
        key=key,
        body_hash=body_hash(_content(request)),
    )


def _content(request: Request) -> Any:
    """Return what a repeated request must repeat."""
    query = request.query_params if request.method == "DELETE" else None
    return {"query": query.dict(), "body": request.data} if query else request.data


def canonical_path(path: str) -> str:
    """Return `path` with its ids in lower case, since views accept both."""
    return "/".join(str(parse_id(part) or part) for part in path.split("/"))


def body_hash(body: Any) -> str:
    """Return the SHA-256, in hex, of the canonical form of a parsed body.

    The order of fields and the notation of numbers (`10`, `10.0`, `1e1`) make no difference.
    """
    return hashlib.sha256(_sorted.encode(to_json_types(body))).hexdigest()


def respond_once(request: Request, run: Callable[[], SuccessResponse]) -> SuccessResponse:
    """Return the response of `run`, or the stored one when the request is a repeat.

    With a key, `run` and the storing of its response are one transaction; an error rolls back both
    and is not stored.
    """
    claim = read_key(request)
    if claim is None:
        return run()

    def execute() -> StoredResponse:
        response = run()
        text = encode_json(response.payload).decode()
        return StoredResponse(response.status_code, response.message, text)

    return stored_to_response(execute_once(claim, execute))


def stored_to_response(stored: StoredResponse) -> SuccessResponse:
    """Return a stored response in the envelope; a repeated one is marked as a replay."""
    return SuccessResponse(
        RawJSON(stored.data),
        stored.message,
        status=stored.status_code,
        headers={"Idempotent-Replayed": "true"} if stored.replayed else None,
    )
