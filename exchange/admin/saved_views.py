"""Saved views of a list: named filters above it, each with the number of its records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import QueryDict

from exchange.admin.paging import format_count

if TYPE_CHECKING:
    from exchange.staff.models import StaffUser


@dataclass(frozen=True, slots=True)
class SavedView:
    """A named filter: the parameters of the list, for users with `permission`, if one is named."""

    title: str
    explanation: str
    query: Mapping[str, str]
    permission: str = ""

    def is_for(self, user: StaffUser) -> bool:
        """Return whether `user` has the view."""
        return not self.permission or user.has_perm(self.permission)

    def is_shown(self, query: QueryDict) -> bool:
        """Return whether a list with `query` shows the view."""
        return query.dict() == dict(self.query)


def count_views(page: Any, user: StaffUser, query: QueryDict) -> list[dict[str, Any]]:
    """Return the saved views of `page` that `user` has, with counts, as its template shows them."""
    views = [view for view in page.saved_views if view.is_for(user)]
    return [
        {
            "title": view.title,
            "explanation": view.explanation,
            "address": f"?{urlencode(view.query)}",
            "count": format_count(count),
            "current": view.is_shown(query),
        }
        for view, count in zip(views, page.counts(user, views), strict=True)
    ]
