"""Lists: `page`, `limit` and `sort`, exact totals, and stored documents passed through.

A list view declares `plural` (the name of the records in `data`), `sort_fields` (wire name →
column) and `default_sort`. Its queryset selects the texts to show:
`.values_list("document", flat=True)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.pagination import BasePagination
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON, documents
from exchange.api.parameters import read_count
from exchange.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a list that is asked for: the page's number, from 1, and the limit in force."""

    number: int
    limit: int

    @property
    def offset(self) -> int:
        """How many matches come before it."""
        return (self.number - 1) * self.limit


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its number, the limit in force, the total of all matches, and its documents."""

    number: int
    limit: int
    total: int
    texts: Sequence[str]

    @property
    def pages(self) -> int:
        """How many pages all matches make."""
        return -(-self.total // self.limit)


def read_window(request: Request) -> Window:
    """What `page` and `limit` ask for; raises `InvalidRequest`."""
    query = request.query_params
    number = read_count(query, "page", 1)
    limit = read_count(query, "limit", settings.API_PAGE_LIMIT_DEFAULT)
    return Window(number, min(limit, settings.API_PAGE_LIMIT_MOST))


def page_data(
    window: Window, total: int, count: int, plural: str, records: RawJSON
) -> dict[str, Any]:
    """The `data` of a page with `count` of `total` matches on it."""
    return {
        "page": window.number,
        "pages": -(-total // window.limit),
        "count": count,
        "total": total,
        plural: records,
    }


class EnvelopePagination(BasePagination):
    """Pages of `{page, pages, count, total, <plural>: […]}`."""

    page: Page

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The documents of the page that `request` asks for."""
        window = read_window(request)
        number, limit, offset = window.number, window.limit, window.offset
        count = getattr(view, "count_matches", QuerySet.count)
        if number == 1:
            texts = list(queryset[:limit])
            # A page that is not full tells the total by itself.
            total = len(texts) if len(texts) < limit else count(queryset)
        else:
            total = count(queryset)
            texts = list(queryset[offset : offset + limit]) if offset < total else []
        self.page = Page(number, limit, total, texts)
        return texts

    def answer(self, view: Any, message: str, meta: Mapping[str, Any] | None = None) -> Answer:
        """The answer for the page read last."""
        page = self.page
        window = Window(page.number, page.limit)
        texts = documents(page.texts)
        data = page_data(window, page.total, len(page.texts), view.plural, texts)
        return Answer(data, message, meta=meta)


class IdPages(EnvelopePagination, ABC):
    """Pages of ids, whose documents are read or made for the page only.

    Filters, order and totals need what is in an index and nothing else; the documents are in the
    table.
    """

    @abstractmethod
    def texts(self, ids: list[UUID]) -> list[str]:
        """The documents of the records with these ids, in their order."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The documents of the page that `request` asks for. Rows of `queryset` end with an id."""
        rows = super().paginate_queryset(queryset, request, view)
        texts = self.texts([row[-1] for row in rows]) if rows else []
        self.page = replace(self.page, texts=texts)
        return texts


class Sorting(BaseFilterBackend):
    """`sort=<field>` or `sort=-<field>` over `view.sort_fields`; the id breaks ties."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """`queryset` in the order asked for, or the view's default."""
        fields: Mapping[str, str] | None = getattr(view, "sort_fields", None)
        if not fields:
            return queryset
        wanted = request.query_params.get("sort", view.default_sort)
        name = wanted.removeprefix("-")
        if name not in fields:
            allowed = ", ".join(fields)
            raise InvalidRequest(f"sort must be one of [{allowed}], with - in front for descending")
        sign = "-" if wanted.startswith("-") else ""
        return queryset.order_by(f"{sign}{fields[name]}", f"{sign}id")

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """The `sort` parameter for the schema."""
        fields: Mapping[str, str] = getattr(view, "sort_fields", {})
        if not fields:
            return []
        choices = [sign + name for name in fields for sign in ("", "-")]
        return [
            {
                "name": "sort",
                "in": "query",
                "required": False,
                "description": "Order; `-` in front for descending. The id breaks ties.",
                "schema": {"type": "string", "enum": choices, "default": view.default_sort},
            }
        ]
