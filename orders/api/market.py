"""What everybody who sees a token sees of its market: open orders, the book, trades."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from exchange.api.answers import Answer
from exchange.api.parameters import read_count
from exchange.api.schema import Operation, PageOf
from exchange.api.views import ApiView, path_id
from exchange.errors import TokenNotFound
from exchange.selectors.tokens import token_document
from orders.api import shapes
from orders.api.orders import SORT_FIELDS
from orders.api.pages import META_SCHEMA, TokenOrderPages, TradePages
from orders.filtersets import TokenOrderFilters, TradeFilters
from orders.models import Order, Trade
from orders.payloads import TRADE
from orders.selectors.orders import orders_on_token, read_book, together, trades_of


class MarketView(ApiView):
    """A view of the token in the path."""

    required_scopes: ClassVar = {"GET": "orders:read"}
    failures: ClassVar[dict[str, dict[str, str]]] = {"404": shapes.TOKEN_NOT_FOUND}

    def token(self, text: str) -> tuple[UUID, str]:
        """Id and document of the token whose id is `text`. Raises `TokenNotFound`."""
        token_id = path_id(text, TokenNotFound())
        return token_id, token_document(self.caller.organisation_id, token_id)


class TokenOrdersView(MarketView):
    """Orders for a token."""

    operations: ClassVar = {"GET": Operation("token_orders", "list", "Orders retrieved")}
    filterset_class = TokenOrderFilters
    plural = "orders"
    sort_fields: ClassVar = SORT_FIELDS
    default_sort = "-createdAt"
    meta_schema: ClassVar = META_SCHEMA
    answers: ClassVar = {"GET": PageOf(shapes.ORDER_WITH_TOKEN, "orders")}
    queryset = Order.objects.none()

    def get(self, request: Request, token_id: str) -> Answer:
        """List the orders of a token. Everybody's that are Active, without who owns them, and
        your own in any state; each with its token.
        """
        organisation_id = self.caller.organisation_id
        found, text = self.token(token_id)
        parts = [self.filter_queryset(part) for part in orders_on_token(organisation_id, found)]
        pages = TokenOrderPages(organisation_id, found, text)
        pages.paginate_queryset(together(parts), request, self)
        return pages.orders(self)


class BookView(MarketView):
    """The book of a token."""

    query_parameters: ClassVar = ("levels",)
    operations: ClassVar = {"GET": Operation("token_books", "retrieve", "Book retrieved")}
    answers: ClassVar = {"GET": shapes.BOOK}

    @extend_schema(parameters=[shapes.LEVELS_PARAMETER])
    def get(self, request: Request, token_id: str) -> Answer:
        """Fetch the book of a token. Open units at each price of both sides, best price first."""
        found, _ = self.token(token_id)
        wanted = read_count(request.query_params, "levels", shapes.LEVELS_DEFAULT)
        levels = min(wanted, shapes.LEVELS_MOST)
        return Answer(read_book(found, levels), "Book retrieved")


class TradesView(MarketView):
    """The trades of a token."""

    operations: ClassVar = {"GET": Operation("token_trades", "list", "Trades retrieved")}
    filterset_class = TradeFilters
    plural = "trades"
    # Numbered as they happen; the fills of one order share its time.
    sort_fields: ClassVar = {"createdAt": "seq", "price": "price", "tokens": "tokens"}
    default_sort = "-createdAt"
    answers: ClassVar = {"GET": PageOf(TRADE, "trades")}
    queryset = Trade.objects.none()

    def get(self, request: Request, token_id: str) -> Answer:
        """List the trades of a token. Everybody's, newest first."""
        found, _ = self.token(token_id)
        trades: QuerySet[Trade] = self.filter_queryset(trades_of(found))
        pages = TradePages()
        pages.paginate_queryset(trades.values_list("id"), request, self)
        return pages.answer(self, "Trades retrieved")
