"""Queryset helpers: get or raise, stored documents, batched purge."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL

from exchange.core.documents import Document

RowT = TypeVar("RowT")

# Small batches hold locks only briefly.
PURGE_BATCH = 1000


def get_or_raise(rows: QuerySet[Any, RowT], missing: Callable[[], Exception]) -> RowT:
    """Return the first of `rows`; when there is none, raise what `missing` makes.

    An exception that is kept and raised again keeps the frames of every raise alive.
    """
    row = rows.first()
    if row is None:
        raise missing()
    return row


def document_texts(rows: QuerySet[Any], document: Document) -> QuerySet[Any, str]:
    """Return the JSON text of `document` for each of `rows`, computed by the query."""
    text = RawSQL(document.expression(document.table), (), output_field=TextField())  # noqa: S611 - built from a declaration
    texts: QuerySet[Any, str] = rows.annotate(text=text).values_list("text", flat=True)
    return texts


def purge(rows: QuerySet[Any]) -> int:
    """Delete `rows` in batches, in order; return the number deleted."""
    removed = 0
    while True:
        ids = list(rows.values_list("pk", flat=True)[:PURGE_BATCH])
        # Filtered again: a row may have changed since its id was read.
        removed += rows.filter(pk__in=ids).delete()[0]
        if len(ids) < PURGE_BATCH:
            return removed
