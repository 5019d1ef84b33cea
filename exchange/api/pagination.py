"""Lists: `page`, `limit` and `sort`, with exact totals and stored documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from rest_framework.filters import OrderingFilter
from rest_framework.pagination import BasePagination
from rest_framework.request import Request

from exchange.api.operations import Operation
from exchange.api.parameters import read_positive_integer
from exchange.api.responses import RawJSON, SuccessResponse, join_documents
from exchange.api.schema_parts import parameter
from exchange.core.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page: its number, from 1, and the effective limit."""

    number: int
    limit: int

    @property
    def offset(self) -> int:
        """The number of matches before the page."""
        return (self.number - 1) * self.limit


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its request, and the total of all matches."""

    request: PageRequest
    total: int

    @property
    def pages(self) -> int:
        """The number of pages of all matches."""
        return -(-self.total // self.request.limit)

    def data(self, plural: str, count: int, records: RawJSON) -> dict[str, Any]:
        """Return the `data` of a response with the page's `count` records."""
        return {
            "page": self.request.number,
            "pages": self.pages,
            "count": count,
            "total": self.total,
            plural: records,
        }


def read_page_request(request: Request) -> PageRequest:
    """Read `page` and `limit`; raise `InvalidRequest` for invalid values."""
    query = request.query_params
    number = read_positive_integer(query, "page", 1)
    limit = read_positive_integer(query, "limit", settings.API_PAGE_LIMIT_DEFAULT)
    return PageRequest(number, min(limit, settings.API_PAGE_LIMIT_MAX))


class EnvelopePagination(BasePagination):
    """Pages of `{page, pages, count, total, <plural>: […]}`.

    Pages are of stored documents, or of ids where an index covers order and total; the viewset then
    reads the documents of one page.
    """

    page: Page
    operation: Operation

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the requested page of `queryset`."""
        self.operation = view.operation
        page_request = read_page_request(request)
        number, limit, offset = page_request.number, page_request.limit, page_request.offset
        if number == 1:
            rows = list(queryset[:limit])
            # The total of an incomplete first page is its length.
            total = len(rows) if len(rows) < limit else queryset.count()
        else:
            total = queryset.count()
            rows = list(queryset[offset : offset + limit]) if offset < total else []
        self.page = Page(page_request, total)
        return rows

    def get_paginated_response(self, data: Sequence[str]) -> SuccessResponse:
        """Return the response with the last page; `data` are the documents of its records."""
        operation = self.operation
        if operation.page is None:
            raise TypeError("the operation declares no page")
        records = self.page.data(operation.page.plural, len(data), join_documents(data))
        return SuccessResponse(records, operation.message, meta=self.meta())

    def meta(self) -> Mapping[str, Any] | None:
        """Return the `meta` of the response."""
        return None

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:  # noqa: ARG002
        """Describe `page` and `limit`."""
        whole = {"type": "integer", "minimum": 1}
        most, usual = settings.API_PAGE_LIMIT_MAX, settings.API_PAGE_LIMIT_DEFAULT
        limit = f"Records on a page; a larger value counts as {most}"
        return [
            parameter("page", "Page number, from 1", {**whole, "default": 1}),
            parameter("limit", limit, {**whole, "default": usual}),
        ]


class Sorting(OrderingFilter):
    """`sort=<field>` or `sort=-<field>` over `view.sort_fields`; the id breaks ties."""

    ordering_param = "sort"
    ordering_description = "Sort field; `-` in front for descending. Ties are sorted by ID."

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> Sequence[str]:  # noqa: ARG002
        """Return the columns of the requested order, or of the view's default."""
        fields: Mapping[str, str] = view.sort_fields
        if not fields:
            return ()
        sort = request.query_params.get(self.ordering_param, view.default_sort)
        name = sort.removeprefix("-")
        if name not in fields:
            allowed = ", ".join(fields)
            raise InvalidRequest(f"sort must be one of [{allowed}], with - in front for descending")
        sign = "-" if sort.startswith("-") else ""
        return f"{sign}{fields[name]}", f"{sign}id"

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Describe `sort`."""
        choices = [sign + name for name in view.sort_fields for sign in ("", "-")]
        schema = {"type": "string", "enum": choices, "default": view.default_sort}
        described = [parameter(self.ordering_param, self.ordering_description, schema)]
        return described if choices else []
