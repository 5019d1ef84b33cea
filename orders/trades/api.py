"""The trades of a token."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.operations import PageOf, operation
from exchange.api.viewsets import ApiViewSet, path_id
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.selectors.tokens import token_document
from orders.trades import shapes
from orders.trades.filters import TradeFilters
from orders.trades.models import Trade
from orders.trades.payloads import TRADE
from orders.trades.selectors import trade_texts, trades_of

_NO_TOKEN = {"404": shapes.TOKEN_NOT_FOUND}


class MarketViewSet(ApiViewSet):
    """What there is of the token in the path."""

    def token(self, text: str) -> tuple[UUID, str]:
        """Return id and document of the token whose id is `text`. Raises `TokenNotFound`."""
        token_id = path_id(text, TokenNotFound())
        return token_id, token_document(self.caller.organisation_id, token_id)


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
