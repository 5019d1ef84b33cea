"""Endpoints for tickers and candles of tokens."""

from collections.abc import Sequence
from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.operations import RecordPage, operation
from exchange.api.responses import RawJSON, SuccessResponse, encode_json
from exchange.api.viewsets import ApiViewSet
from exchange.tokens.models import Token
from orders.book.api import MarketViewSet
from orders.book.shapes import TOKEN_NOT_FOUND
from orders.market import shapes
from orders.market.query import read_query
from orders.market.selectors import read_candles, read_tickers, traded_tokens


class TickerViewSet(MarketViewSet):
    """The ticker of a token."""

    singleton = True

    @operation(
        "Ticker retrieved",
        scope="orders:read",
        response=shapes.TICKER,
        failures={"404": TOKEN_NOT_FOUND},
    )
    def retrieve(self, _request: Request, token_id: str) -> SuccessResponse:
        """Fetch the ticker of a token. Its last price, the trades of the last 24 hours, and the
        best prices of the book. Purchases in a primary raise do not count.
        """
        found, _ = self.find_token(token_id)
        [ticker] = read_tickers([found], timezone.now())
        return self.respond(ticker)


class AllTickersViewSet(ApiViewSet):
    """The tickers of all tokens in secondary trading."""

    tag = "Markets"
    sort_fields: ClassVar = {"token": "id"}
    default_sort = "-token"

    def get_queryset(self) -> QuerySet[Token]:
        """Return the tokens that the caller sees."""
        return traded_tokens(self.caller.organisation_id)

    @operation(
        "Tickers retrieved",
        scope="orders:read",
        response=RecordPage(shapes.TICKER, "tickers"),
    )
    def list(self, _request: Request) -> Response:
        """List the tickers of all tokens in secondary trading that you see. Newest tokens first;
        closed, exited and cancelled ones are left out.
        """
        return self.paginated_response(self.filter_queryset(self.get_queryset()), _read_texts)


class CandleViewSet(MarketViewSet):
    """The candles of a token."""

    singleton = True

    @operation(
        "Candles retrieved",
        scope="orders:read",
        query=shapes.CANDLE_PARAMETERS,
        response=shapes.CANDLES,
        failures={"404": TOKEN_NOT_FOUND},
    )
    def retrieve(self, request: Request, token_id: str) -> SuccessResponse:
        """Fetch the candles of a token. Computed from all secondary trades of each interval, in
        UTC. Intervals without a trade are left out unless `fill` is `true`.
        """
        found, _ = self.find_token(token_id)
        now = timezone.now()
        query = read_query(request.query_params, now)
        candles = RawJSON(f"[{read_candles(found, query, now)}]")
        return self.respond({"interval": query.interval, "candles": candles})


def _read_texts(token_ids: Sequence[UUID]) -> Sequence[str]:
    return [encode_json(ticker).decode() for ticker in read_tickers(token_ids, timezone.now())]
