"""Pagination of orders: the common envelope, and the additional `meta` of order lists."""

from typing import Any

from rest_framework.request import Request

from exchange.api.operations import NamedSchema, text_schema
from exchange.api.pagination import EnvelopePagination, Page

_COUNT = {"type": "integer", "minimum": 0}
_PAGE = {"type": "integer", "minimum": 1}
_PAGE_OR_NULL = {"type": ["integer", "null"], "minimum": 1}

META_SCHEMA = NamedSchema.of(
    "OrderListMeta",
    "Position of the page within all matches",
    page=({**_PAGE, "description": "Number of this page, from 1"}, 1),
    limit=({**_PAGE, "description": "Orders per page"}, 20),
    sort=(text_schema("The effective sort order, as in the parameter `sort`"), "-createdAt"),
    totalDocs=({**_COUNT, "description": "Total number of matches"}, 1),
    totalPages=({**_COUNT, "description": "Total number of pages"}, 1),
    hasPrevPage=({"type": "boolean", "description": "Whether there is a previous page"}, False),
    hasNextPage=({"type": "boolean", "description": "Whether there is a next page"}, False),
    offset=({**_COUNT, "description": "Matches before this page"}, 0),
    prevPage=({**_PAGE_OR_NULL, "description": "The previous page, if any"}, None),
    nextPage=({**_PAGE_OR_NULL, "description": "The next page, if any"}, None),
)


class OrderPagination(EnvelopePagination):
    """Paginator of orders that adds `meta`."""

    sort = ""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the requested page of `queryset`."""
        self.sort = request.query_params.get("sort", view.default_sort)
        return super().paginate_queryset(queryset, request, view)

    def meta(self, page: Page) -> dict[str, Any]:
        """Return the position of the page within all matches."""
        request, pages = page.request, page.pages
        back, forth = request.number > 1, request.number < pages
        return {
            "page": request.number,
            "limit": request.limit,
            "sort": self.sort,
            "totalDocs": page.total,
            "totalPages": pages,
            "hasPrevPage": back,
            "hasNextPage": forth,
            "offset": request.offset,
            "prevPage": request.number - 1 if back else None,
            "nextPage": request.number + 1 if forth else None,
        }
