"""Requests that arrived at one process together, sent to PostgreSQL as one set (decision 0013)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from django.db import DatabaseError

from exchange.core import wake
from exchange.core.database import fetch_one, sqlstate
from exchange.core.idempotency import StoredResponse

Form = dict[str, Any]


def as_json(value: Form | Sequence[Form]) -> str:
    """A request, or several, as the SQL functions take them."""
    return msgspec.json.encode(value).decode()


def carry_out(
    statement: str, forms: Sequence[Form], *, id_name: str, status_code: int, message: str
) -> list[StoredResponse | None]:
    """What `statement` answers to each of `forms`; None for one that has to go by itself.

    It takes all of them as JSON, the status and the message, and gives two arrays: the ids, which
    are under `id_name` in the forms, of those that were done, and their answers. When PostgreSQL
    refuses the set, every one goes by itself. Raises `DatabaseError` when the connection was lost:
    what became of them is not known then.
    """
    if len(forms) == 1:
        return [None]
    try:
        row = fetch_one(statement, [as_json(forms), status_code, message])
    except DatabaseError as error:
        if sqlstate(error) is None:
            raise
        return [None] * len(forms)
    if row is None or row[0] is None:
        return [None] * len(forms)
    wake.after_commit(wake.DELIVER_EVENTS)
    done = dict(zip(*row, strict=True))
    return [
        StoredResponse(status_code, message, done[form[id_name]]) if form[id_name] in done else None
        for form in forms
    ]
