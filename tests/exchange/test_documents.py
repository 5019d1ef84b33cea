"""How a wire document is put together in SQL."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from exchange.documents import Document, boolean, identifier, moment, number, text

pytestmark = pytest.mark.django_db

# More fields than are put together from left to right.
DOCUMENT = Document(
    name="Thing",
    table="thing",
    fields=[
        identifier("_id", "{r}.id"),
        text("name", "{r}.name"),
        text("note", "{r}.note", nullable=True),
        number("amount", "{r}.amount"),
        boolean("open", "{r}.open"),
        moment("createdAt", "{r}.at"),
        identifier("owner", "{r}.note", nullable=True),
        *(number(f"n{n}", f"{{r}}.amount + {n}") for n in range(20)),
    ],
)
ROW = {
    "id": "'0199d4e0-0000-7000-8000-000000000001'::uuid",
    "name": "'It''s \"so\" || ''x'''",
    "note": "NULL::text",
    "amount": "1.50",
    "open": "true",
    "at": "'2026-11-21 10:00:00.1+00'::timestamptz",
}


def made(*, strict: bool, **columns: str) -> str | None:
    row = ROW | columns
    names = ", ".join(row)
    values = ", ".join(row.values())
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {DOCUMENT.expression('r', strict=strict)} FROM (VALUES ({values})) r ({names})"
        )
        document: str | None = cursor.fetchone()[0]
        return document


def test_both_ways_make_the_same() -> None:
    lax, strict = made(strict=False), made(strict=True)
    assert strict is not None
    assert lax == strict
    read: dict[str, Any] = json.loads(strict)
    assert list(read) == [field.name for field in DOCUMENT.fields]
    assert (read["_id"], read["name"]) == (ROW["id"][1:37], "It's \"so\" || 'x'")
    assert (read["note"], read["owner"], read["open"]) == (None, None, True)
    assert (read["createdAt"], read["amount"], read["n19"]) == (
        "2026-11-21T10:00:00.100Z",
        1.5,
        20.5,
    )


@pytest.mark.parametrize("column", ["id", "name", "amount", "open", "at"])
def test_a_strict_document_has_no_null_that_is_not_declared(column: str) -> None:
    kind = {"id": "uuid", "name": "text", "amount": "numeric", "open": "boolean"}
    nothing = f"NULL::{kind.get(column, 'timestamptz')}"
    assert made(strict=True, **{column: nothing}) is None
    assert "null" in (made(strict=False, **{column: nothing}) or "")
