"""Trades in the search of the back office."""

from exchange.admin.site_search import SearchKind
from exchange.core.currencies import format_money
from orders.book.models import Trade

TRADES = SearchKind(
    model=Trade,
    describe=lambda trade: (format_money(trade.buyer_value, trade.token.currency_id),),
    recent_amounts=(("buyer_value", "token__currency"),),
    related=("token",),
)
