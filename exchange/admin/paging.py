"""Pagination of long lists with a bounded count."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.core.paginator import Paginator
from django.db import connections
from django.db.models import QuerySet

# Beyond this people filter rather than page.
COUNT_LIMIT = 10_000
_COUNT = "(SELECT count(*) FROM ({}) counted)"


def bounded_count(rows: QuerySet[Any]) -> int:
    """Count `rows` up to `COUNT_LIMIT`."""
    return rows.order_by()[:COUNT_LIMIT].count()


def bounded_counts(lists: Sequence[QuerySet[Any]], limit: int = COUNT_LIMIT) -> list[int]:
    """Count each of `lists` up to `limit`, all in one query."""
    return run_counts(lists[0].db, *count_statement(lists, limit)) if lists else []


def count_statement(lists: Sequence[QuerySet[Any]], limit: int) -> tuple[str, list[Any]]:
    """Return the query that counts each of `lists` up to `limit`, and its parameters."""
    columns: list[str] = []
    parameters: list[Any] = []
    for rows in lists:
        try:
            sql, values = rows.order_by().values("pk")[:limit].query.sql_with_params()
        except EmptyResultSet:
            sql, values = "SELECT WHERE false", ()
        columns.append(_COUNT.format(sql))
        parameters.extend(values)
    return f"SELECT {', '.join(columns)}", parameters


def run_counts(alias: str, statement: str, parameters: Sequence[Any]) -> list[int]:
    """Return what a statement of `count_statement` counts in the database `alias`."""
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchone())


def format_count(count: int) -> str:
    """Format a bounded count: `12`, or `10,000+` where counting stopped."""
    return f"{count:,}{'+' if count >= COUNT_LIMIT else ''}"


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # not generic when it runs
    """A paginator that counts at most `COUNT_LIMIT` rows, so that huge lists open fast."""

    @cached_property
    def count(self) -> int:
        """The number of rows, at most `COUNT_LIMIT`."""
        rows: Any = self.object_list
        if not isinstance(rows, QuerySet):
            return len(rows)
        return bounded_count(rows)

    @property
    def count_label(self) -> str:
        """The number of rows as pages show it."""
        return format_count(self.count)
