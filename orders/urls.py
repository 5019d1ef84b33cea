"""URLs of orders and markets, relative to /v1/."""

from exchange.api.routers import Router
from orders.book.api import BookViewSet, OrderViewSet, TokenOrderViewSet
from orders.market.api import AllTickersViewSet, CandleViewSet, TickerViewSet
from orders.streams.api import StreamViewSet
from orders.trades.api import FillViewSet, OrderFillViewSet, TradeViewSet

router = Router()
# Before the orders, whose ids it is none of.
router.register("stream", StreamViewSet, "streams")
router.register("orders/fills", OrderFillViewSet, "order_fills")
router.register("orders", OrderViewSet, "orders")
router.register("orders/<str:order_id>/fills", FillViewSet, "fills")
router.register("orders/token/<str:token_id>", TokenOrderViewSet, "token_orders")
router.register("orders/token/<str:token_id>/book", BookViewSet, "token_books")
router.register("orders/token/<str:token_id>/trades", TradeViewSet, "token_trades")
router.register("api/tickers", AllTickersViewSet, "tickers")
router.register("api/token/<str:token_id>/ticker", TickerViewSet, "token_tickers")
router.register("api/token/<str:token_id>/candles", CandleViewSet, "token_candles")

urlpatterns = router.urls
