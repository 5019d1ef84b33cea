"""Pages of orders: the envelope of every list, and the `meta` that order lists carry besides."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework.request import Request

from exchange.api.answers import Answer
from exchange.api.pagination import IdPages, Page
from exchange.api.schema import Shape
from orders import examples
from orders.selectors.orders import order_texts, trade_texts, with_token

_WHOLE = {"type": "integer", "minimum": 0}
_PAGE = {"type": "integer", "minimum": 1}
_BACK = {"type": "boolean", "description": "Whether there is a page before this one"}
_FORTH = {"type": "boolean", "description": "Whether there is a page after this one"}
_PAGE_OR_NULL = {"type": ["integer", "null"], "minimum": 1}

_PROPERTIES: dict[str, Any] = {
    "page": {**_PAGE, "description": "This page, from 1"},
    "limit": {**_PAGE, "description": "Orders a page"},
    "sort": {"type": "string", "description": "The order in force, as in the parameter `sort`"},
    "totalDocs": {**_WHOLE, "description": "All matches"},
    "totalPages": {**_WHOLE, "description": "Pages of all matches"},
    "hasPrevPage": _BACK,
    "hasNextPage": _FORTH,
    "offset": {**_WHOLE, "description": "Matches before this page"},
    "prevPage": {**_PAGE_OR_NULL, "description": "The page before, if any"},
    "nextPage": {**_PAGE_OR_NULL, "description": "The page after, if any"},
}
META_SCHEMA = Shape(
    "OrderListMeta",
    {
        "type": "object",
        "description": "The same once more, and what is around the page",
        "properties": _PROPERTIES,
        "required": list(_PROPERTIES),
    },
    examples.META,
)


class TradePages(IdPages):
    """Pages of trades."""

    def texts(self, ids: list[UUID]) -> list[str]:
        """The stored documents."""
        return trade_texts(ids)


class OrderPages(IdPages):
    """Pages of an organisation's orders, with `meta`."""

    sort = ""

    def __init__(self, organisation_id: UUID) -> None:
        self.organisation_id = organisation_id

    def texts(self, ids: list[UUID]) -> list[str]:
        """The documents as the organisation sees them."""
        return order_texts(self.organisation_id, ids)

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The documents of the page that `request` asks for."""
        self.sort = request.query_params.get("sort", view.default_sort)
        return super().paginate_queryset(queryset, request, view)

    def orders(self, view: Any) -> Answer:
        """The answer for the page read last."""
        return self.answer(view, "Orders retrieved", meta=_meta(self.page, self.sort))


class TokenOrderPages(OrderPages):
    """Pages of a token's orders, each with the document of the token they are all for."""

    def __init__(self, organisation_id: UUID, token_id: UUID, token_text: str) -> None:
        super().__init__(organisation_id)
        self.token_id = token_id
        self.token_text = token_text

    def texts(self, ids: list[UUID]) -> list[str]:
        """The documents as the organisation sees them, with the token in place of its id."""
        return [with_token(text, self.token_id, self.token_text) for text in super().texts(ids)]


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
