"""Admin links to lists, ledger entries of orders and trades, and labels of charts."""

from collections.abc import Callable, Collection
from decimal import Decimal
from uuid import UUID

from exchange.admin.base import Section, Tool
from exchange.admin.chart import format_compact
from exchange.admin.display import list_url
from exchange.core.numbers import format_units, round_half_even
from exchange.tokens.models import Token
from wallets.ledger.admin.legs import transfer_legs_section

# From these on numbers on an axis are shortened: prices, and units.
_LONG, _COMPACT = 10**7, 10**4


def list_ledger_legs(subjects: Collection[UUID], token: Token) -> Section:
    """List the legs of the ledger transfers about any of `subjects`."""
    return transfer_legs_section(subjects, symbols={str(token.pk): token.symbol})


def list_link(name: str, term: object, label: str) -> Tool:
    """Link to the list `name` (`orders_order`), searched for `term`."""
    return Tool(label, list_url(name, q=str(term)))


def price_label(token: Token) -> Callable[[Decimal], str]:
    """Return the function that formats prices of the token for an axis, short if they are long."""

    def label(price: Decimal) -> str:
        text = f"{price:,.{token.currency.decimals}f}"
        return f"{text if price < _LONG else format_compact(price)} {token.currency_id}"

    return label


def label_units(units: Decimal) -> str:
    """Format a number of units for an axis: `1.25 units`, `12.5 k units`."""
    if units >= _COMPACT:
        return f"{format_compact(units)} units"
    return format_units(round_half_even(units, 2) if units >= 1 else units)
