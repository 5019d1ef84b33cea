"""The depth of a token's order book: a chart of cumulative units, and its price levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate, pairwise

from exchange.admin.base import Section
from exchange.admin.chart import BOTTOM, LEFT, RIGHT, TOP, Chart, Hint, Scale
from exchange.admin.tabs import MARKET
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped, format_units
from exchange.tokens.models import Token
from orders.book.admin.show import label_units, list_link, price_label
from orders.book.selectors import PriceLevel, read_book

_LEVELS = 20
# The chart shows prices from a half to twice the best one of their side: a far one would leave no
# room for the others.
_FAR = 2
_TITLE = "Order book"


@dataclass(frozen=True, slots=True)
class _Level:
    """A price of one side, with the units at it and at all better prices."""

    side: str
    price: Decimal
    tokens: Decimal
    orders: int
    total: Decimal


def depth_section(token: Token) -> Section:
    """Return the best prices of both sides, highest first, with the chart of their depth."""
    book = read_book(token.pk, _LEVELS)
    bids, asks = _accumulate("Buy", book["bids"]), _accumulate("Sell", book["asks"])
    rows = [
        (
            level.side,
            format_money(level.price, token.currency_id),
            format_grouped(level.tokens),
            format_grouped(level.total),
            f"{level.orders:,}",
        )
        for level in [*reversed(asks), *bids]
    ]
    return Section(
        _TITLE,
        ("Side", "Price", "Units", "Cumulative", "Orders"),
        rows,
        right=(1, 2, 3, 4),
        empty="No open orders.",
        note=f"The best {_LEVELS} prices of each side.",
        more=list_link("orders_order", token.pk, "All orders of this token"),
        tab=MARKET,
        chart=_depth_chart(token, bids, asks) if rows else None,
        facts=[("Spread", _spread(token, bids, asks))],
    )


def _accumulate(side: str, levels: Sequence[PriceLevel]) -> list[_Level]:
    totals = accumulate(level["tokens"] for level in levels)
    return [
        _Level(side, level["price"], level["tokens"], level["orders"], total)
        for level, total in zip(levels, totals, strict=True)
    ]


def _spread(token: Token, bids: Sequence[_Level], asks: Sequence[_Level]) -> str:
    """Return the difference of the best prices, also in percent of their middle."""
    if not bids or not asks:
        return "-"
    bid, ask = bids[0].price, asks[0].price
    share = (ask - bid) / (ask + bid) * 200
    return f"{format_money(ask - bid, token.currency_id)} ({share:,.2f} %)"


def _depth_chart(token: Token, bids: Sequence[_Level], asks: Sequence[_Level]) -> Chart:
    """Lay out cumulative units by price; each total applies until the next price of its side."""
    description = _describe(token, bids, asks)
    bids, asks = _near(bids), _near(asks)
    every = [*bids, *asks]
    prices = _price_scale([level.price for level in every])
    units = Scale(Decimal(0), max(level.total for level in every), BOTTOM, TOP)
    edges = (prices.low, prices.high)
    sides = (bids, asks)
    return Chart(
        name="depth",
        look="depth",
        title="Depth of the order book",
        description=description,
        lines=[
            (name, _draw_area(side, edge, prices, units))
            for name, side, edge in zip(("Buy orders", "Sell orders"), sides, edges, strict=True)
        ],
        levels=units.marks(label_units),
        labels=prices.marks(price_label(token)),
        hints=[
            hint
            for side, edge in zip(sides, edges, strict=True)
            for hint in _hints(token, side, edge, prices)
        ],
    )


def _near(side: Sequence[_Level]) -> list[_Level]:
    """Return the levels of one side that the chart shows."""
    return [level for level in side if side[0].price / _FAR <= level.price <= side[0].price * _FAR]


def _price_scale(prices: Sequence[Decimal]) -> Scale:
    """Return the scale from the lowest to the highest price, with a margin for their totals."""
    low, high = min(prices), max(prices)
    margin = (high - low) / 20 or high / 10
    return Scale(max(low - margin, Decimal(0)), high + margin, LEFT, RIGHT)


def _draw_area(side: Sequence[_Level], edge: Decimal, prices: Scale, units: Scale) -> str:
    if not side:
        return ""
    ends = [*(level.price for level in side[1:]), edge]
    steps = (
        f"V{units.position(level.total)}H{prices.position(end)}"
        for level, end in zip(side, ends, strict=True)
    )
    return f"M{prices.position(side[0].price)} {BOTTOM}{''.join(steps)}V{BOTTOM}Z"


def _hints(token: Token, side: Sequence[_Level], edge: Decimal, prices: Scale) -> list[Hint]:
    ends = [prices.position(price) for price in (*(level.price for level in side), edge)]
    return [
        Hint(
            min(begin, end),
            TOP,
            round(abs(end - begin), 1),
            BOTTOM - TOP,
            f"{level.side} at {format_money(level.price, token.currency_id)} or better:"
            f" {format_units(level.total)}",
        )
        for level, (begin, end) in zip(side, pairwise(ends), strict=True)
    ]


def _describe(token: Token, bids: Sequence[_Level], asks: Sequence[_Level]) -> str:
    """Return the alternative text of the chart."""
    parts = [
        f"{name} for {format_units(side[-1].total)}, best"
        f" {format_money(side[0].price, token.currency_id)}"
        if side
        else f"No {name.lower()}"
        for name, side in (("Buy orders", bids), ("Sell orders", asks))
    ]
    hidden = len(bids) + len(asks) - len(_near(bids)) - len(_near(asks))
    far = f"{hidden} far prices are not drawn. " if hidden else ""
    return f"{parts[0]}. {parts[1]}. {far}The table below lists all prices."
