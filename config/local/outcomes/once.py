"""One outcome of a record at a time, and each once for its `Idempotency-Key`.

Outcomes use the network and wait, so they run in no transaction. A lock of the session takes the
place of its locks: the second of two calls for one address waits for the first.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection
from rest_framework.request import Request

from exchange.api.authentication import get_caller
from exchange.api.idempotency import canonical_path, read_key, stored_to_response
from exchange.api.responses import SuccessResponse, encode_json
from exchange.core.database import LOCK_NOT_AVAILABLE, sqlstate
from exchange.core.errors import RequestInProgress
from exchange.core.idempotency import StoredResponse, execute_once, find_response


def set_once(
    request: Request, set_outcome: Callable[[], object], respond: Callable[[], SuccessResponse]
) -> SuccessResponse:
    """Set an outcome and return the response, or the stored one when the request is a repeat.

    A repeat by key changes nothing; the same outcome without one meets a state that refuses it.
    Raises `RequestInProgress` after waiting for another call.
    """
    claim = read_key(request)
    about = f"{get_caller(request).organisation_id} {canonical_path(request.path)}"
    with _lock(about):
        if claim is not None and (stored := find_response(claim)) is not None:
            return stored_to_response(stored)
        set_outcome()

        def store() -> StoredResponse:
            made = respond()
            text = encode_json(made.payload).decode()
            return StoredResponse(made.status_code, made.message, text)

        return stored_to_response(execute_once(claim, store))


@contextmanager
def _lock(about: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [about])
        except DatabaseError as error:
            if sqlstate(error) == LOCK_NOT_AVAILABLE:
                raise RequestInProgress from error
            raise
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [about])
