"""Pages of long lists: counting stops where nobody pages further."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

# Counting stops here; nobody pages further, they filter.
COUNT_LIMIT = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # not generic when it runs
    """Counts no more rows than anybody pages through, so that a list of millions opens at once."""

    @cached_property
    def count(self) -> int:
        """Matches, at most `COUNTED_AT_MOST`."""
        rows: Any = self.object_list
        if not isinstance(rows, QuerySet):
            return len(rows)
        return rows.order_by()[:COUNT_LIMIT].count()

    @property
    def is_truncated(self) -> bool:
        """Whether there may be more than `count` says."""
        return self.count >= COUNT_LIMIT
