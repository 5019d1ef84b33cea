"""Endpoint for the trades of a token."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.operations import RecordPage, operation
from orders.book.api import MarketViewSet
from orders.book.shapes import TOKEN_NOT_FOUND
from orders.trades.filters import TradeFilters
from orders.trades.models import Trade
from orders.trades.payloads import TRADE
from orders.trades.selectors import read_trades, trades_of


class TradeViewSet(MarketViewSet):
    """The trades of a token."""

    filterset_class = TradeFilters
    # By number, since the fills of one order share its time.
    sort_fields: ClassVar = {"createdAt": "seq", "price": "price", "tokens": "tokens"}
    default_sort = "-createdAt"
    queryset = Trade.objects.none()

    @operation(
        "Trades retrieved",
        scope="orders:read",
        response=RecordPage(TRADE, "trades"),
        failures={"404": TOKEN_NOT_FOUND},
    )
    def list(self, _request: Request, token_id: str) -> Response:
        """List the trades of a token. All trades, newest first."""
        found, _ = self.find_token(token_id)
        trades = self.filter_queryset(trades_of(found))
        return self.paginated_response(trades.values_list("id", flat=True), read_trades)
