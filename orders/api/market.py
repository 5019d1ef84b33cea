"""What everybody who sees a token sees of its market: open orders, the book, trades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.answers import Answer
from exchange.api.operations import PageOf, operation
from exchange.api.parameters import read_count
from exchange.api.viewsets import ApiViewSet, path_id
from exchange.core.errors import TokenNotFound
from exchange.selectors.tokens import token_document
from orders.api import shapes
from orders.api.orders import SORT_FIELDS
from orders.api.pages import META_SCHEMA, OrderPagination
from orders.filtersets import TokenOrderFilters, TradeFilters
from orders.models import Order, Trade
from orders.payloads import TRADE
from orders.selectors.orders import (
    order_texts,
    orders_on_token,
    read_book,
    together,
    trade_texts,
    trades_of,
    with_token,
)

_NO_TOKEN = {"404": shapes.TOKEN_NOT_FOUND}


class MarketViewSet(ApiViewSet):
    """What there is of the token in the path."""

    def token(self, text: str) -> tuple[UUID, str]:
        """Return id and document of the token whose id is `text`. Raises `TokenNotFound`."""
        token_id = path_id(text, TokenNotFound())
        return token_id, token_document(self.caller.organisation_id, token_id)


class TokenOrderViewSet(MarketViewSet):
    """Orders for a token."""

    pagination_class = OrderPagination
    filterset_class = TokenOrderFilters
    sort_fields: ClassVar = SORT_FIELDS
    default_sort = "-createdAt"
    queryset = Order.objects.none()

    @operation(
        "Orders retrieved",
        scope="orders:read",
        answer=PageOf(shapes.ORDER_WITH_TOKEN, "orders"),
        meta=META_SCHEMA,
        refusals=_NO_TOKEN,
    )
    def list(self, _request: Request, token_id: str) -> Response:
        """List the orders of a token. Everybody's that are Active, without who owns them, and
        your own in any state; each with its token.
        """
        organisation_id = self.caller.organisation_id
        found, text = self.token(token_id)
        parts = [self.filter_queryset(part) for part in orders_on_token(organisation_id, found)]

        def read(rows: Sequence[Any]) -> Sequence[str]:
            texts = order_texts(organisation_id, [row[-1] for row in rows])
            return [with_token(order, found, text) for order in texts]

        return self.paginated(together(parts), read)


class BookViewSet(MarketViewSet):
    """The book of a token."""

    singleton = True

    @operation(
        "Book retrieved",
        scope="orders:read",
        query=[shapes.LEVELS_PARAMETER],
        answer=shapes.BOOK,
        refusals=_NO_TOKEN,
    )
    def retrieve(self, request: Request, token_id: str) -> Answer:
        """Fetch the book of a token. Open units at each price of both sides, best price first."""
        found, _ = self.token(token_id)
        wanted = read_count(request.query_params, "levels", shapes.LEVELS_DEFAULT)
        return self.answer(read_book(found, min(wanted, shapes.LEVELS_MOST)))


class TradeViewSet(MarketViewSet):
    """The trades of a token."""

    filterset_class = TradeFilters
    # Numbered as they happen; the fills of one order share its time.
    sort_fields: ClassVar = {"createdAt": "seq", "price": "price", "tokens": "tokens"}
    default_sort = "-createdAt"
    queryset = Trade.objects.none()

    @operation(
        "Trades retrieved",
        scope="orders:read",
        answer=PageOf(TRADE, "trades"),
        refusals=_NO_TOKEN,
    )
    def list(self, _request: Request, token_id: str) -> Response:
        """List the trades of a token. Everybody's, newest first."""
        found, _ = self.token(token_id)
        trades = self.filter_queryset(trades_of(found))
        return self.paginated(trades.values_list("id", flat=True), trade_texts)
