"""Rows of tables: reading the one that must be there, and removing those that served their time."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL

from exchange.core.documents import Document

Found = TypeVar("Found")

# Rows that one statement removes: few enough that no lock is held for long.
PURGE_BATCH = 1000


def get_or_raise(rows: QuerySet[Any, Found], missing: Exception) -> Found:
    """Return the first of `rows`; raise `missing` when there is none."""
    found = rows.first()
    if found is None:
        raise missing
    return found


def document_texts(rows: QuerySet[Any], document: Document) -> QuerySet[Any, str]:
    """Return the `document` of each of `rows`, made as it is read: JSON texts."""
    text = RawSQL(document.expression(document.table), (), output_field=TextField())  # noqa: S611 - built from a declaration
    texts: QuerySet[Any, str] = rows.annotate(text=text).values_list("text", flat=True)
    return texts


def purge(rows: QuerySet[Any]) -> int:
    """Remove `rows` in batches, in their order; return how many."""
    removed = 0
    while True:
        ids = list(rows.values_list("pk", flat=True)[:PURGE_BATCH])
        # A row may have changed since it was listed, so that it is none of them any more.
        removed += rows.filter(pk__in=ids).delete()[0]
        if len(ids) < PURGE_BATCH:
            return removed
