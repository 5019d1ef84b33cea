"""Saved views of a list: named filters above it, each with the number of its records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import QueryDict

from exchange.admin.paging import bounded_count, format_count

if TYPE_CHECKING:
    from exchange.staff.models import StaffUser


@dataclass(frozen=True, slots=True)
class SavedView:
    """A named filter: the parameters of the list, for users with `permission`, if one is named."""

    title: str
    explanation: str
    query: Mapping[str, str]
    permission: str = ""


@dataclass(frozen=True, slots=True)
class CountedView:
    """A saved view as the list shows it."""

    title: str
    explanation: str
    address: str
    count: str
    current: bool


def count_views(page: Any, user: StaffUser, query: QueryDict) -> list[CountedView]:
    """Return the saved views of `page` that `user` has, each counted by a bounded query."""
    found = []
    for view in page.saved_views:
        if view.permission and not user.has_perm(view.permission):
            continue
        address = urlencode(view.query)
        rows = page.listed(user, QueryDict(address)).qs
        count = bounded_count(rows)
        found.append(
            CountedView(
                view.title,
                view.explanation,
                f"?{address}",
                format_count(count),
                current=query.dict() == dict(view.query),
            )
        )
    return found
