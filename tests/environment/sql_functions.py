"""Calls of single PostgreSQL functions with record values."""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.environment.owner import as_owner
from tests.factories.bare_rows import as_json


@dataclass(frozen=True)
class Record:
    """A value of a record type; fields that are left out are NULL."""

    type: str
    fields: dict[str, Any]


@dataclass(frozen=True)
class Records:
    """An array of values of a record type."""

    type: str
    rows: list[dict[str, Any]]


def expression(function: str, *arguments: Any) -> tuple[str, list[Any]]:
    """Return the call of a function as SQL, and its parameters."""
    parts, values = [], []
    for argument in arguments:
        if isinstance(argument, Record):
            parts.append(f"jsonb_populate_record(NULL::{argument.type}, %s::jsonb)")
            values.append(as_json(argument.fields))
        elif isinstance(argument, Records):
            parts.append(
                f"ARRAY(SELECT x FROM jsonb_populate_recordset(NULL::{argument.type}, %s::jsonb) x)"
            )
            values.append(as_json(argument.rows))
        else:
            parts.append("%s")
            values.append(argument)
    return f"{function}({', '.join(parts)})", values


def call(function: str, *arguments: Any) -> Any:
    """Call the function as the owner and return its result as JSON with exact numbers."""
    text, values = expression(function, *arguments)
    with as_owner() as cursor:
        cursor.execute(f"SELECT to_jsonb({text})::text", values)
        [found] = cursor.fetchone()
    return None if found is None else json.loads(found, parse_float=Decimal)
