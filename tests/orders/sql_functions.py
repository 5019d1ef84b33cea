"""The functions of PostgreSQL behind an order, called one by one with the rights of their owner."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import connection, transaction


@dataclass(frozen=True)
class Record:
    """A value of a record type; fields that are not given are NULL."""

    type: str
    fields: dict[str, Any]


@dataclass(frozen=True)
class Records:
    """An array of values of a record type."""

    type: str
    rows: list[dict[str, Any]]


@contextmanager
def as_owner(*, undone: bool = False) -> Iterator[Any]:
    """A cursor of the test's connection with the owner's rights.

    An error undoes the block; with `undone`, so does its end.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE")
        yield cursor
        cursor.execute("RESET ROLE")
        if undone:
            transaction.set_rollback(True)


def expression(function: str, *arguments: Any) -> tuple[str, list[Any]]:
    """The call of a function as SQL, and its parameters."""
    parts, values = [], []
    for argument in arguments:
        if isinstance(argument, Record):
            parts.append(f"jsonb_populate_record(NULL::{argument.type}, %s::jsonb)")
            values.append(json.dumps(argument.fields, default=str))
        elif isinstance(argument, Records):
            parts.append(
                f"ARRAY(SELECT x FROM jsonb_populate_recordset(NULL::{argument.type}, %s::jsonb) x)"
            )
            values.append(json.dumps(argument.rows, default=str))
        else:
            parts.append("%s")
            values.append(argument)
    return f"{function}({', '.join(parts)})", values


def call(function: str, *arguments: Any) -> Any:
    """What the function returns, as JSON with exact numbers."""
    text, values = expression(function, *arguments)
    with as_owner() as cursor:
        cursor.execute(f"SELECT to_jsonb({text})::text", values)
        [found] = cursor.fetchone()
    return None if found is None else json.loads(found, parse_float=Decimal)
