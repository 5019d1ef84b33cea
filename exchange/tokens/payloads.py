"""The wire document of a token."""

from exchange.core.documents import (
    Document,
    WireField,
    boolean,
    identifier,
    integer,
    number,
    text,
    timestamp,
)
from exchange.tokens import examples
from exchange.tokens.models import (
    DealAccess,
    InvestmentCategory,
    InvestmentType,
    PayoutFrequency,
    TokenType,
)

# --- Tokens ---------------------------------------------------------------------------------------

_SIDE_DESCRIPTIONS = {
    "buy": "For buyers",
    "sell": "For sellers",
    "exchange": "Units of the token's currency per USD",
}


def _side_values(name: str, *sides: str, description: str) -> WireField:
    """Declare an object of numbers stored in the columns `<name>_<side>`."""
    parts = " || ',' || ".join(
        f"""'"{side}":' || trim_scale({{r}}.{name}_{side})""" for side in sides
    )
    schema = {
        "type": "object",
        "description": description,
        "properties": {
            side: {"type": "number", "description": _SIDE_DESCRIPTIONS[side]} for side in sides
        },
        "required": list(sides),
    }
    return WireField(name, f"'{{' || {parts} || '}}'", schema)


_QUOTE_SIDES = ("buy", "sell", "exchange")


_SIDES = ("buy", "sell")


# Shared by every document that shows the kind of investment.
INVESTMENT_KIND = (
    text("investment_type", "Type of instrument", enum=InvestmentType.values),
    text("investment_category", "Category of the investment", enum=InvestmentCategory.values),
)


_COMPLETED_ON = "({r}.completed_at AT TIME ZONE 'UTC')::date"
# What the payments of a token follow from.
TERMS = Document(
    name="TokenTerms",
    table="exchange_token",
    fields=(
        identifier("token", "Token ID", "{r}.id"),
        text("currency", "Currency of the issue price", "{r}.currency_id"),
        number(
            "issue_price",
            "Principal of a unit, on which interest is paid; null if unknown",
            nullable=True,
        ),
        number("interest", "Percent a year"),
        integer("tenor", "Days; 0: no end"),
        text(
            "payout_frequency",
            "How often income is paid; empty: no income",
            enum=PayoutFrequency.values,
        ),
        text(
            "day_count",
            "Interest is for actual days, over a year of 365",
            "'ACT/365'",
            enum=["ACT/365"],
        ),
        timestamp(
            "completed_at",
            "When the raise was completed, from which periods count; null while it is open, or if"
            " unknown",
            nullable=True,
        ),
        text(
            "maturity",
            "Completion date plus tenor; null without one of them",
            # Where the calendar of clients ends before it, there is none.
            "CASE WHEN {r}.tenor > 0 AND {r}.tenor <= date '9999-12-31' - "
            f"{_COMPLETED_ON} THEN {_COMPLETED_ON} + {{r}}.tenor END",
            format="date",
            nullable=True,
        ),
        integer("version", "Rises with each change by two people, from 1", "{r}.terms_version"),
    ),
    example=examples.TERMS,
)


# In the order of the interface's table.
TOKEN = Document(
    name="Token",
    table="exchange_token",
    fields=(
        identifier("_id", "Token ID", "{r}.id"),
        text("name", "Name of the investment"),
        text("symbol", "Short name, unique"),
        integer("reference", "Sequence number"),
        text("image", "Image URL"),
        text("currency", "Currency of prices and amounts", "{r}.currency_id"),
        identifier("creator", "Member ID of the creator", "{r}.creator_id", nullable=True),
        identifier("asset", "Ledger asset of its units", "{r}.id"),
        text("request", "Listing request", "{r}.listing_reference"),
        _side_values(
            "price",
            *_QUOTE_SIDES,
            description="Prices per unit; `exchange` is units of the currency per USD",
        ),
        _side_values("prev_price", *_QUOTE_SIDES, description="Previous prices"),
        _side_values("min", *_SIDES, description="Lowest order price per side; 0: no limit"),
        _side_values("max", *_SIDES, description="Highest order price per side; 0: no limit"),
        _side_values("vol", *_SIDES, description="Units bought, and units sold by holders"),
        _side_values(
            "min_trade", *_SIDES, description="Smallest order value per side; 0: no limit"
        ),
        _side_values("max_trade", *_SIDES, description="Largest order value per side; 0: no limit"),
        text("type", "Type of the offering", enum=TokenType.values),
        text(
            "deal_access",
            "`Private`: visible to its issuer and organisations granted access",
            enum=DealAccess.values,
        ),
        *INVESTMENT_KIND,
        text(
            "payout_frequency",
            "How often income is paid; empty: no income",
            enum=PayoutFrequency.values,
        ),
        number("raise_amount", "Target of the raise"),
        number("buy_fee", "Percent of the value, paid by the buyer"),
        number("sell_fee", "Percent of the value, paid by the seller"),
        number("carry", "Manager's share of the profit, in percent"),
        number("management_fee", "Percent per year"),
        number("valuation", "Valuation before the raise"),
        number("discount", "Percent"),
        number("interest", "Percent"),
        number("dividend", "Percent"),
        integer("tenor", "Days"),
        boolean("secondaries", "Whether holders may trade it"),
        boolean("completed_raise", "Whether the raise is complete"),
        number("supply", "Units that investors hold"),
        number("total_supply", "All units issued"),
        number("total_raised", "Amount raised so far"),
        boolean("exited", "Whether investors have exited"),
        boolean("cancelled", "Whether the raise was cancelled"),
        boolean("esop_token", "Whether it belongs to an employee share plan"),
        number("post_raise_valuation", "Valuation after the raise"),
        text(
            "milestone",
            "Percent of the target raised",
            "CASE WHEN {r}.raise_amount > 0 THEN trim_scale(round({r}.total_raised * 100"
            " / {r}.raise_amount, 2))::text ELSE '0' END",
        ),
        number("total_allocated", "Units allocated in the raise"),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
        timestamp("updatedAt", "Time of the last change", "{r}.updated_at"),
    ),
    example=examples.TOKEN,
)
