"""Lists: `page` or `cursor`, `limit` and `sort`, with stored documents.

A page is the records after an offset, with exact totals. A cursor is the place of the last record
returned, in a sort whose values never change, so that records which arrive or leave meanwhile
shift nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from rest_framework.filters import OrderingFilter
from rest_framework.pagination import BasePagination
from rest_framework.request import Request

from exchange.api.cursors import CursorList, InvalidCursor
from exchange.api.filters import FLAGS
from exchange.api.operations import Operation
from exchange.api.parameters import read_positive_integer
from exchange.api.responses import RawJSON, SuccessResponse, join_documents
from exchange.api.schema_parts import parameter
from exchange.core.errors import InvalidRequest

_CURSOR_SCHEMAS = (
    parameter(
        "use_cursor",
        "`true`: the first records and `next_cursor`, without totals",
        {"type": "boolean", "default": False},
    ),
    parameter(
        "cursor",
        "`next_cursor` of the response before, with the same filters and sort",
        {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 300},
    ),
)


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


def uses_cursor(query: Mapping[str, str]) -> bool:
    """Return whether a list is read by cursor. Raises `InvalidRequest` where that is unclear."""
    wanted = query.get("use_cursor", "true" if "cursor" in query else "false").lower()
    if wanted not in FLAGS:
        raise InvalidRequest("use_cursor must be true or false")
    if "cursor" in query and not FLAGS[wanted]:
        raise InvalidRequest("cursor and use_cursor=false exclude each other")
    if FLAGS[wanted] and "page" in query:
        raise InvalidRequest("page and a cursor exclude each other")
    return FLAGS[wanted]


def cursor_list(request: Request, view: Any) -> CursorList:
    """Return the list that cursors of `request` belong to.

    Raises `InvalidRequest` for a sort whose values change.
    """
    sort = request.query_params.get("sort", view.default_sort)
    if sort.removeprefix("-") in view.changing_sorts:
        lasting = ", ".join(name for name in view.sort_fields if name not in view.changing_sorts)
        raise InvalidRequest(f"With a cursor, sort must be one of [{lasting}]")
    return CursorList.of(request, view.caller.organisation_id, sort=sort)


def find_after(ordered: QuerySet[Any], last: Sequence[str]) -> QuerySet[Any]:
    """Return those of `ordered` after the record with the values `last` of the order's columns."""
    order = [str(name) for name in ordered.query.order_by]
    names = [name.removeprefix("-") for name in order]
    fields = (ordered.model._meta.get_field(name) for name in names)
    try:
        values = [field.to_python(text) for field, text in zip(fields, last, strict=True)]
    except (ValueError, ValidationError):
        raise InvalidCursor("cursor") from None
    beyond = "lt" if order[0].startswith("-") else "gt"
    condition = Q(**{f"{names[-1]}__{beyond}": values[-1]})
    if len(names) > 1:
        # The first condition is one that an index of the first column can use.
        first, value = names[0], values[0]
        condition = Q(**{f"{first}__{beyond}e": value}) & (
            Q(**{f"{first}__{beyond}": value}) | condition
        )
    return ordered.filter(condition)


class EnvelopePagination(BasePagination):
    """Pages of `{page, pages, count, total, <plural>: […]}`, or `{count, next_cursor, …}`.

    Rows end with a stored document, or with an id where an index covers order and total; the
    viewset then reads the documents of one page. Before it are the values of the sort.
    """

    # None where the list is read by cursor.
    page: Page | None = None
    next_cursor: str | None = None
    operation: Operation

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the requested rows of `queryset`, without the values of the sort."""
        self.operation = view.operation
        if view.takes_cursors() and uses_cursor(request.query_params):
            rows = self._read_after_cursor(queryset, request, view)
        else:
            rows = self._read_page(queryset, request)
        return [row[-1] for row in rows]

    def _read_page(self, queryset: Any, request: Request) -> list[Any]:
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

    def _read_after_cursor(self, queryset: Any, request: Request, view: Any) -> list[Any]:
        limit = read_page_request(request).limit
        rows = list(queryset[: limit + 1])
        if len(rows) > limit:
            rows.pop()
            last = [str(value) for value in rows[-1][: len(queryset.query.order_by)]]
            self.next_cursor = cursor_list(request, view).encode(last)
        return rows

    def get_paginated_response(self, data: Sequence[str]) -> SuccessResponse:
        """Return the response with the last rows; `data` are the documents of its records."""
        operation, records = self.operation, join_documents(data)
        if operation.page is None:
            raise TypeError("the operation declares no page")
        plural = operation.page.plural
        if self.page is None:
            found = {"count": len(data), "next_cursor": self.next_cursor, plural: records}
            return SuccessResponse(found, operation.message)
        found = self.page.data(plural, len(data), records)
        return SuccessResponse(found, operation.message, meta=self.meta(self.page))

    def meta(self, page: Page) -> Mapping[str, Any] | None:  # noqa: ARG002
        """Return the `meta` of the response with `page`."""
        return None

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Describe `page` and `limit`, and the parameters of cursors."""
        whole = {"type": "integer", "minimum": 1}
        most, usual = settings.API_PAGE_LIMIT_MAX, settings.API_PAGE_LIMIT_DEFAULT
        limit = f"Records on a page; a larger value counts as {most}"
        return [
            parameter("page", "Page number, from 1", {**whole, "default": 1}),
            parameter("limit", limit, {**whole, "default": usual}),
            *(_CURSOR_SCHEMAS if view.takes_cursors() else []),
        ]


class Sorting(OrderingFilter):
    """`sort=<field>` or `sort=-<field>` over `view.sort_fields`; the id breaks ties.

    Where the request has a cursor, leaves out the records up to it.
    """

    ordering_param = "sort"
    ordering_description = "Sort field; `-` in front for descending. Ties are sorted by ID."

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """Return `queryset` in the requested order, from the cursor on."""
        ordered: QuerySet[Any] = super().filter_queryset(request, queryset, view)
        if not view.takes_cursors() or not uses_cursor(request.query_params):
            return ordered
        of_cursor, text = cursor_list(request, view), request.query_params.get("cursor")
        return find_after(ordered, of_cursor.decode("cursor", text)) if text else ordered

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
        return tuple(dict.fromkeys([f"{sign}{fields[name]}", f"{sign}id"]))

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Describe `sort`."""
        choices = [sign + name for name in view.sort_fields for sign in ("", "-")]
        schema = {"type": "string", "enum": choices, "default": view.default_sort}
        described = [parameter(self.ordering_param, self.ordering_description, schema)]
        return described if choices else []
