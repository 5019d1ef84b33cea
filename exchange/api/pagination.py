"""Lists: `page`, `limit` and `sort`, exact totals, and stored documents passed through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.pagination import BasePagination
from rest_framework.request import Request

from exchange.api.operations import Operation
from exchange.api.parameters import read_positive_integer
from exchange.api.responses import RawJSON, SuccessResponse, join_documents
from exchange.api.schema_parts import parameter
from exchange.core.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The part of a list that is asked for: the page's number, from 1, and the limit in force."""

    number: int
    limit: int

    @property
    def offset(self) -> int:
        """How many matches come before it."""
        return (self.number - 1) * self.limit


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its window, and the total of all matches."""

    window: PageRequest
    total: int

    @property
    def pages(self) -> int:
        """How many pages all matches make."""
        return -(-self.total // self.window.limit)

    def data(self, plural: str, count: int, records: RawJSON) -> dict[str, Any]:
        """Return the `data` of an answer: where the page is, and its `count` records."""
        return {
            "page": self.window.number,
            "pages": self.pages,
            "count": count,
            "total": self.total,
            plural: records,
        }


def read_page_request(request: Request) -> PageRequest:
    """Read what `page` and `limit` ask for; raise `InvalidRequest`."""
    query = request.query_params
    number = read_positive_integer(query, "page", 1)
    limit = read_positive_integer(query, "limit", settings.API_PAGE_LIMIT_DEFAULT)
    return PageRequest(number, min(limit, settings.API_PAGE_LIMIT_MAX))


class EnvelopePagination(BasePagination):
    """Pages of `{page, pages, count, total, <plural>: […]}`.

    What is paged are stored documents, or ids where order and totals need an index and nothing
    else; a viewset then reads the documents of the page's ids alone.
    """

    page: Page
    operation: Operation

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Read the page of `queryset` that `request` asks for."""
        self.operation = view.operation
        window = read_page_request(request)
        number, limit, offset = window.number, window.limit, window.offset
        if number == 1:
            rows = list(queryset[:limit])
            # A page that is not full tells the total by itself.
            total = len(rows) if len(rows) < limit else queryset.count()
        else:
            total = queryset.count()
            rows = list(queryset[offset : offset + limit]) if offset < total else []
        self.page = Page(window, total)
        return rows

    def get_paginated_response(self, data: Sequence[str]) -> SuccessResponse:
        """Answer the page read last; `data` are the documents of its records."""
        operation = self.operation
        if operation.page is None:
            raise TypeError("only operations that declare a page answer one")
        records = self.page.data(operation.page.plural, len(data), join_documents(data))
        return SuccessResponse(records, operation.message, meta=self.meta())

    def meta(self) -> Mapping[str, Any] | None:
        """Return what the answer has besides its data."""
        return None

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:  # noqa: ARG002
        """Describe `page` and `limit`."""
        whole = {"type": "integer", "minimum": 1}
        most, usual = settings.API_PAGE_LIMIT_MAX, settings.API_PAGE_LIMIT_DEFAULT
        limit = f"Records a page; above {most} counts as that"
        return [
            parameter("page", "Page, from 1", {**whole, "default": 1}),
            parameter("limit", limit, {**whole, "default": usual}),
        ]


class Sorting(BaseFilterBackend):
    """`sort=<field>` or `sort=-<field>` over `view.sort_fields`; the id breaks ties."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """`queryset` in the order asked for, or the view's default."""
        fields: Mapping[str, str] = view.sort_fields
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
        fields: Mapping[str, str] = view.sort_fields
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
