"""Endpoints for the trades of a token, and for the fills of one order or of all."""

from functools import partial
from typing import ClassVar

from django.db.models import QuerySet
from django.http import HttpResponse
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.files import PDF, file_response
from exchange.api.filters import DatedFilters
from exchange.api.operations import RecordPage, operation
from exchange.api.viewsets import ApiViewSet, parse_path_id
from orders.book.api import MarketViewSet
from orders.book.errors import OrderNotFound
from orders.book.models import Fill, Trade
from orders.book.shapes import TOKEN_NOT_FOUND
from orders.trades.filters import FillFilters, TradeFilters
from orders.trades.notes import FillNotFound, print_note
from orders.trades.payloads import FILL, MARKET_TRADE, ORDER_FILL
from orders.trades.selectors import (
    fills_of,
    fills_of_organisation,
    get_side,
    read_fills,
    read_order_fills,
    read_trades,
    trades_of,
)

# By number, since the fills of one order share its time.
SORT_FIELDS = {"createdAt": "seq", "price": "price", "tokens": "tokens"}


class TradeViewSet(MarketViewSet):
    """The trades of a token."""

    filterset_class = TradeFilters
    sort_fields: ClassVar = SORT_FIELDS
    default_sort = "-createdAt"
    queryset = Trade.objects.none()

    @operation(
        "Trades retrieved",
        scope="orders:read",
        response=RecordPage(MARKET_TRADE, "trades"),
        failures={"404": TOKEN_NOT_FOUND},
    )
    def list(self, _request: Request, token_id: str) -> Response:
        """List the trades of a token. All trades, newest first; they name your own orders, and no
        others.
        """
        found, _ = self.find_token(token_id)
        trades = self.filter_queryset(trades_of(found))
        read = partial(read_trades, self.caller.organisation_id)
        return self.paginated_response(trades, read)


class FillViewSet(ApiViewSet):
    """The fills of an order."""

    tag = "Orders"
    lookup_url_kwarg = "trade_id"
    filterset_class = DatedFilters
    sort_fields: ClassVar = SORT_FIELDS
    default_sort = "-createdAt"
    queryset = Trade.objects.none()

    @operation("Fills retrieved", scope="orders:read", response=RecordPage(FILL, "fills"))
    def list(self, _request: Request, order_id: str) -> Response:
        """List the fills of one of your orders. Newest first; their values and fees add up to
        `meta.filled_value` and `meta.fee` of the order.
        """
        side = get_side(self.caller.organisation_id, parse_path_id(order_id, OrderNotFound))
        fills = self.filter_queryset(fills_of(side))
        return self.paginated_response(fills, partial(read_fills, side))

    @operation(
        "Contract note retrieved",
        id="contract_notes_retrieve",
        scope="orders:read",
        response=None,
        files=[PDF],
    )
    @action(detail=True)
    def note(self, _request: Request, order_id: str, trade_id: str) -> HttpResponse:
        """Fetch the contract note of a fill. A PDF document: parties, units, price, value, fee and
        time of the trade, with its references.
        """
        trade = parse_path_id(trade_id, FillNotFound)
        order = parse_path_id(order_id, OrderNotFound)
        note = print_note(self.caller.organisation_id, order, trade)
        return file_response(note, PDF, f"contract-note-{trade}.pdf")


class OrderFillViewSet(ApiViewSet):
    """The fills of all orders of the caller."""

    tag = "Orders"
    filterset_class = FillFilters
    sort_fields: ClassVar = {"createdAt": "created_at"}
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Fill]:
        """Return the caller's fills."""
        return fills_of_organisation(self.caller.organisation_id)

    @operation("Fills retrieved", scope="orders:read", response=RecordPage(ORDER_FILL, "fills"))
    def list(self, _request: Request) -> Response:
        """List the fills of all your orders. Newest first, each with its order: read a day with
        `created_from`, `created_to` and a cursor. A trade between two of your orders is two fills.
        """
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found, read_order_fills)
