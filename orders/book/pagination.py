"""Pages of orders: the envelope of every list, and the `meta` that order lists carry besides."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from exchange.api.operations import NamedSchema
from exchange.api.pagination import EnvelopePagination
from orders.book import examples

_COUNT = {"type": "integer", "minimum": 0}
_PAGE = {"type": "integer", "minimum": 1}
_HAS_PREVIOUS = {"type": "boolean", "description": "Whether there is a page before this one"}
_HAS_NEXT = {"type": "boolean", "description": "Whether there is a page after this one"}
_PAGE_OR_NULL = {"type": ["integer", "null"], "minimum": 1}

_PROPERTIES: dict[str, Any] = {
    "page": {**_PAGE, "description": "This page, from 1"},
    "limit": {**_PAGE, "description": "Orders a page"},
    "sort": {"type": "string", "description": "The order in force, as in the parameter `sort`"},
    "totalDocs": {**_COUNT, "description": "All matches"},
    "totalPages": {**_COUNT, "description": "Pages of all matches"},
    "hasPrevPage": _HAS_PREVIOUS,
    "hasNextPage": _HAS_NEXT,
    "offset": {**_COUNT, "description": "Matches before this page"},
    "prevPage": {**_PAGE_OR_NULL, "description": "The page before, if any"},
    "nextPage": {**_PAGE_OR_NULL, "description": "The page after, if any"},
}
META_SCHEMA = NamedSchema(
    "OrderListMeta",
    {
        "type": "object",
        "description": "The same once more, and what is around the page",
        "properties": _PROPERTIES,
        "required": list(_PROPERTIES),
    },
    examples.META,
)


class OrderPagination(EnvelopePagination):
    """Pages of orders, with `meta`."""

    sort = ""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Read the page of `queryset` that `request` asks for."""
        self.sort = request.query_params.get("sort", view.default_sort)
        return super().paginate_queryset(queryset, request, view)

    def meta(self) -> dict[str, Any]:
        """Return the same once more, and what is around the page."""
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
