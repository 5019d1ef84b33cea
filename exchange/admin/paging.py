"""Pagination of long lists with a bounded count."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

# Beyond this people filter rather than page.
COUNT_LIMIT = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # not generic when it runs
    """A paginator that counts at most `COUNT_LIMIT` rows, so that huge lists open fast."""

    @cached_property
    def count(self) -> int:
        """The number of rows, at most `COUNT_LIMIT`."""
        rows: Any = self.object_list
        if not isinstance(rows, QuerySet):
            return len(rows)
        return rows.order_by()[:COUNT_LIMIT].count()

    @property
    def is_truncated(self) -> bool:
        """Whether there may be more rows than `count`."""
        return self.count >= COUNT_LIMIT
