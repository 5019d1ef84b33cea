"""One outcome of a record at a time, and each once for its `Idempotency-Key`.

Outcomes use the network and wait, so they run in no transaction. A lock of the session takes the
place of its locks: the second of two calls for one address waits for the first.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import DatabaseError, connection
from rest_framework.request import Request

from exchange.api.authentication import get_caller
from exchange.api.idempotency import canonical_path, read_key, respond_once, stored_to_response
from exchange.api.responses import SuccessResponse
from exchange.core.database import LOCK_NOT_AVAILABLE, sqlstate
from exchange.core.errors import RequestInProgress
from exchange.core.idempotency import find_response

Made = TypeVar("Made")


def set_once(
    request: Request, set_outcome: Callable[[], Made], respond: Callable[[Made], SuccessResponse]
) -> SuccessResponse:
    """Set an outcome and respond to what it made, or as before when the request is a repeat.

    A repeat by key changes nothing; the same outcome without one meets a state that refuses it.
    Raises `RequestInProgress` after waiting for another call.
    """
    claim = read_key(request)
    about = f"{get_caller(request).organisation_id} {canonical_path(request.path)}"
    with _lock(about):
        if claim is not None and (stored := find_response(claim)) is not None:
            return stored_to_response(stored)
        made = set_outcome()
        return respond_once(request, lambda: respond(made))


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
