"""Pages of orders: the envelope of every list, and the `meta` that order lists carry besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from rest_framework.request import Request

from exchange.api.answers import Answer
from exchange.api.pagination import EnvelopePagination, Page, read_parameter
from orders.selectors.orders import order_texts, with_token

_WHOLE = {"type": "integer", "minimum": 0}
_PAGE = {"type": "integer", "minimum": 1}
_FLAG = {"type": "boolean"}
_PAGE_OR_NULL = {"type": ["integer", "null"], "minimum": 1}

_PROPERTIES: dict[str, Any] = {
    "page": _PAGE,
    "limit": {**_PAGE, "description": "Orders a page"},
    "sort": {"type": "string", "description": "The order in force, as in the parameter `sort`"},
    "totalDocs": {**_WHOLE, "description": "All matches"},
    "totalPages": {**_WHOLE, "description": "Pages of all matches"},
    "hasPrevPage": _FLAG,
    "hasNextPage": _FLAG,
    "offset": {**_WHOLE, "description": "Matches before this page"},
    "prevPage": _PAGE_OR_NULL,
    "nextPage": _PAGE_OR_NULL,
}
META_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": list(_PROPERTIES),
}


class OrderPages(EnvelopePagination):
    """Pages of stored order documents, with `meta`."""

    sort = ""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The documents of the page that `request` asks for."""
        self.sort = read_parameter(request, "sort") or view.default_sort
        return super().paginate_queryset(queryset, request, view)

    def orders(self, view: Any) -> Answer:
        """The answer for the page read last."""
        return self.answer(view, "Orders retrieved", meta=_meta(self.page, self.sort))


class TokenOrderPages(OrderPages):
    """Pages of order ids, whose documents are made for the page only: as the caller sees them,
    each with the document of the token they are all for.
    """

    def __init__(self, organisation_id: UUID, token_id: UUID, token_text: str) -> None:
        self.organisation_id = organisation_id
        self.token_id = token_id
        self.token_text = token_text

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The documents of the page that `request` asks for."""
        found = super().paginate_queryset(queryset, request, view)
        seen = order_texts(self.organisation_id, found) if found else []
        texts = [with_token(text, self.token_id, self.token_text) for text in seen]
        self.page = replace(self.page, texts=texts)
        return texts


def _meta(page: Page, sort: str) -> dict[str, Any]:
    back, forth = page.number > 1, page.number < page.pages
    return {
        "page": page.number,
        "limit": page.limit,
        "sort": sort,
        "totalDocs": page.total,
        "totalPages": page.pages,
        "hasPrevPage": back,
        "hasNextPage": forth,
        "offset": (page.number - 1) * page.limit,
        "prevPage": page.number - 1 if back else None,
        "nextPage": page.number + 1 if forth else None,
    }
