"""Demo tokens: the rows of `tokens.csv` and the values derived from them.

Their logos are in `config/static/tokens`; `trading` lists and trades them.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from config.local.demo.tables import read_amounts, read_rows
from exchange.core.numbers import round_half_even


class Stage(StrEnum):
    """The stage of a token's life cycle."""

    RAISING = "raising"  # in its primary raise
    SOLD = "sold"  # the raise is complete, secondaries are not open
    TRADING = "trading"  # the raise is complete, holders trade it
    LISTED = "listed"  # traded, without a raise
    CLOSED = "closed"  # the raise is complete, no more orders are taken
    EXITED = "exited"  # the raise is complete, the investment has ended
    REDEEMED = "redeemed"  # the raise is complete, `coupons` pays its interest and redeems it
    CANCELLED = "cancelled"  # the raise was cancelled and its buyers refunded


# Tokens with trades between holders, a history and a book.
TRADED = frozenset({Stage.TRADING, Stage.LISTED})

DECIMALS = {"UGX": 0}
# Units of the currency for one USD, as the initial settings.
USD_RATES = read_amounts("usd_rate")
# A private person's investment in one token: about 80 USD.
LOTS = read_amounts("lot")


class Fees(NamedTuple):
    """Percentages by kind of investment."""

    buy: str
    sell: str
    management: str = "0"
    carry: str = "0"


_FEES = {
    "ETF": Fees("0.25", "0.25", "0.4"),
    "Bond": Fees("0.5", "0.5"),
    "Commercial Paper": Fees("0.25", "0.25"),
    "Debt Note": Fees("0.5", "0.5"),
    "Real Estate": Fees("1", "1", "1"),
    "Private Business": Fees("1", "0.75"),
    "Startup": Fees("2", "1", "0", "20"),
    "Commodities": Fees("0.5", "0.5", "0.75"),
    "Fund": Fees("0.5", "0.5", "1.5", "10"),
    "Art": Fees("2.5", "2.5", "1"),
    "Music": Fees("1.5", "1.5", "0.5"),
    "Movie": Fees("1.5", "1.5", "0", "15"),
    "Charity": Fees("0", "0"),
}
# The spread between buying and selling quote, percent.
_SPREADS = {"the service": 3, "SAFE": 5, "Debt": 1, "Fixed Interest": 2}
# The largest deviation of an order's price from the quote, percent.
_BAND = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoToken:
    """One token. Prices are amounts of its currency, percentages percent, `tenor` days.

    `issued_at` is the price of the raise if it differs from `price`; `offered` is the percentage of
    units in the raise, `raised` the percentage of those sold so far. `granted` are the demo
    organisations that also see it; None: all.
    """

    symbol: str
    name: str
    category: str
    investment_type: str
    issuer: str
    currency: str
    price: Decimal
    units: int
    stage: Stage
    issued_at: Decimal | None
    offered: int
    raised: int
    interest: Decimal
    dividend: Decimal
    discount: Decimal
    tenor: int
    pays: str
    private: bool
    granted: tuple[str, ...] | None
    esop: bool

    @property
    def has_raise(self) -> bool:
        """Whether it has or had a primary raise."""
        return self.stage is not Stage.LISTED

    @property
    def issue_price(self) -> Decimal:
        """The initial price of a unit."""
        return self.price if self.issued_at is None else self.issued_at

    @property
    def offered_units(self) -> int:
        """The units offered in the raise; all units without one."""
        return self.units * self.offered // 100

    @property
    def sold_units(self) -> int:
        """The units sold in the raise, or by the issuer without one."""
        return self.offered_units * self.raised // 100

    @property
    def raise_amount(self) -> Decimal:
        """The target amount of the raise; 0 without one."""
        return self.issue_price * self.offered_units if self.has_raise else Decimal(0)

    @property
    def post_raise_valuation(self) -> Decimal:
        """The value of all units at the price of the raise."""
        return self.issue_price * self.units

    @property
    def valuation(self) -> Decimal:
        """The valuation before the raise."""
        raised = self.raise_amount if self.offered < 100 else Decimal(0)
        return self.post_raise_valuation - raised

    @property
    def max_trade(self) -> Decimal:
        """The largest value of an order: half of the offer."""
        return round_money(self.issue_price * self.offered_units / 2, self.currency)

    @property
    def min_trade(self) -> Decimal:
        """The smallest value of an order: a fiftieth of a lot."""
        return round_money(LOTS[self.currency] / 50, self.currency)

    @property
    def fees(self) -> Fees:
        """The fees of its category."""
        return _FEES[self.category]

    def price_between(self, percent: int) -> Decimal:
        """Return the price `percent` of the way from the raise's price to the quote."""
        price = self.issue_price + (self.price - self.issue_price) * percent / 100
        return round_money(price, self.currency)

    @property
    def logo(self) -> str:
        """The URL path of its logo."""
        return f"/static/tokens/{self.symbol}.svg"

    def selling_quote(self, price: Decimal) -> Decimal:
        """Return the selling quote for a buying quote of `price`."""
        spread = Decimal(100 - _SPREADS[self.investment_type]) / 100
        return round_money(price * spread, self.currency)

    def shifted_quote(self, percent: Decimal) -> Decimal:
        """Return the quote changed by `percent`, rounded to a valid price."""
        return round_money(self.price * (100 + percent) / 100, self.currency)

    @property
    def band(self) -> tuple[Decimal, Decimal]:
        """The lowest and highest price of an order; (0, 0) while it has one price."""
        if self.stage not in TRADED:
            return Decimal(0), Decimal(0)
        return self.shifted_quote(Decimal(-_BAND)), self.shifted_quote(Decimal(_BAND))


def round_money(amount: Decimal, currency: str) -> Decimal:
    """Round `amount` to the decimals of `currency`."""
    return round_half_even(amount, DECIMALS.get(currency, 2))


def _read(row: dict[str, str]) -> DemoToken:
    """Parse a row; empty cells have defaults."""
    words = row["granted"].split()
    amounts = ("price", "interest", "dividend", "discount")
    values: dict[str, Any] = {
        **row,
        **{name: Decimal(row[name] or 0) for name in amounts},
        "units": int(row["units"]),
        "stage": Stage(row["stage"]),
        "issued_at": Decimal(row["issued_at"]) if row["issued_at"] else None,
        "offered": int(row["offered"] or 100),
        "raised": int(row["raised"] or 100),
        "tenor": int(row["tenor"] or 0),
        "private": row["private"] == "yes",
        "granted": tuple(word for word in words if word != "nobody") if words else None,
        "esop": row["esop"] == "yes",
    }
    return DemoToken(**values)


TOKENS = tuple(_read(row) for row in read_rows("tokens"))
