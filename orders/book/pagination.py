"""Pagination of orders: the common envelope, and the additional `meta` of order lists."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from exchange.api.operations import NamedSchema
from exchange.api.pagination import EnvelopePagination
from orders.book import examples

_COUNT = {"type": "integer", "minimum": 0}
_PAGE = {"type": "integer", "minimum": 1}
_HAS_PREVIOUS = {"type": "boolean", "description": "Whether there is a previous page"}
_HAS_NEXT = {"type": "boolean", "description": "Whether there is a next page"}
_PAGE_OR_NULL = {"type": ["integer", "null"], "minimum": 1}

_PROPERTIES: dict[str, Any] = {
    "page": {**_PAGE, "description": "Number of this page, from 1"},
    "limit": {**_PAGE, "description": "Orders per page"},
    "sort": {
        "type": "string",
        "description": "The effective sort order, as in the parameter `sort`",
    },
    "totalDocs": {**_COUNT, "description": "Total number of matches"},
    "totalPages": {**_COUNT, "description": "Total number of pages"},
    "hasPrevPage": _HAS_PREVIOUS,
    "hasNextPage": _HAS_NEXT,
    "offset": {**_COUNT, "description": "Matches before this page"},
    "prevPage": {**_PAGE_OR_NULL, "description": "The previous page, if any"},
    "nextPage": {**_PAGE_OR_NULL, "description": "The next page, if any"},
}
META_SCHEMA = NamedSchema(
    "OrderListMeta",
    {
        "type": "object",
        "description": "Position of the page within all matches",
        "properties": _PROPERTIES,
        "required": list(_PROPERTIES),
    },
    examples.META,
)


class OrderPagination(EnvelopePagination):
    """Paginator of orders that adds `meta`."""

    sort = ""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the requested page of `queryset`."""
        self.sort = request.query_params.get("sort", view.default_sort)
        return super().paginate_queryset(queryset, request, view)

    def meta(self) -> dict[str, Any]:
        """Return the position of the page within all matches."""
        request, pages = self.page.request, self.page.pages
        back, forth = request.number > 1, request.number < pages
        return {
            "page": request.number,
            "limit": request.limit,
            "sort": self.sort,
            "totalDocs": self.page.total,
            "totalPages": pages,
            "hasPrevPage": back,
            "hasNextPage": forth,
            "offset": request.offset,
            "prevPage": request.number - 1 if back else None,
            "nextPage": request.number + 1 if forth else None,
        }
