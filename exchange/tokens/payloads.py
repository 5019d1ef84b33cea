"""What a token looks like on the wire, declared once."""

from __future__ import annotations

from exchange.core.documents import (
    Document,
    WireField,
    boolean,
    identifier,
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
    "buy": "For those who buy",
    "sell": "For those who sell",
    "exchange": "Units of the token's currency for one USD",
}


def _side_values(name: str, *sides: str, description: str) -> WireField:
    """An object of numbers kept in the columns `<name>_<side>`."""
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


# What kind of investment a token is, wherever one is shown.
INVESTMENT_KIND = (
    text(
        "investment_type",
        "{r}.investment_type",
        "Kind of instrument",
        enum=list(InvestmentType.values),
    ),
    text(
        "investment_category",
        "{r}.investment_category",
        "What the money is put into",
        enum=list(InvestmentCategory.values),
    ),
)


# In the order of the interface's table.
TOKEN = Document(
    name="Token",
    table="exchange_token",
    fields=(
        identifier("_id", "{r}.id", "Token id"),
        text("name", "{r}.name", "Name of the investment"),
        text("symbol", "{r}.symbol", "Short name, unique"),
        WireField(
            "reference", "{r}.reference", {"type": "integer", "description": "A running number"}
        ),
        text("image", "{r}.image", "URL"),
        text("currency", "{r}.currency_id", "What prices and amounts are in"),
        identifier("creator", "{r}.creator_id", "User id of the creator", nullable=True),
        identifier("asset", "{r}.id", "What the ledger counts its units as"),
        text("request", "{r}.listing_reference", "The listing request it came from"),
        _side_values(
            "price",
            *_QUOTE_SIDES,
            description="Quotes for one unit; `exchange` is units of the currency for one USD",
        ),
        _side_values("prev_price", *_QUOTE_SIDES, description="The quotes before these"),
        _side_values("min", *_SIDES, description="Lowest price of an order of a side; 0: no bound"),
        _side_values(
            "max", *_SIDES, description="Highest price of an order of a side; 0: no bound"
        ),
        _side_values("vol", *_SIDES, description="Units bought, and units sold by holders"),
        _side_values(
            "min_trade", *_SIDES, description="Smallest value of an order of a side; 0: no bound"
        ),
        _side_values(
            "max_trade", *_SIDES, description="Largest value of an order of a side; 0: no bound"
        ),
        text(
            "type",
            "{r}.type",
            "Whether the offering is a private or a public one",
            enum=list(TokenType.values),
        ),
        text(
            "deal_access",
            "{r}.deal_access",
            "`Private`: only its issuer and organisations granted access see it",
            enum=list(DealAccess.values),
        ),
        *INVESTMENT_KIND,
        text(
            "payout_frequency",
            "{r}.payout_frequency",
            "Empty: no income is paid",
            enum=list(PayoutFrequency.values),
        ),
        number("raise_amount", "{r}.raise_amount", "What the raise is to bring"),
        number("buy_fee", "{r}.buy_fee", "Percent of the value, paid by the buyer"),
        number("sell_fee", "{r}.sell_fee", "Percent of the value, paid by the seller"),
        number("carry", "{r}.carry", "Share of the profit that the manager takes, in percent"),
        number("management_fee", "{r}.management_fee", "Percent a year"),
        number("valuation", "{r}.valuation", "Value of the whole before the raise"),
        number("discount", "{r}.discount", "Percent"),
        number("interest", "{r}.interest", "Percent"),
        number("dividend", "{r}.dividend", "Percent"),
        WireField("tenor", "{r}.tenor", {"type": "integer", "description": "Days"}),
        boolean("secondaries", "{r}.secondaries", "Whether holders may trade it"),
        boolean("completed_raise", "{r}.completed_raise", "Whether the raise is complete"),
        number("supply", "{r}.supply", "Units that investors hold"),
        number("total_supply", "{r}.total_supply", "All units there are"),
        number("total_raised", "{r}.total_raised", "What the raise has brought so far"),
        boolean("exited", "{r}.exited", "Whether investors have exited"),
        boolean("cancelled", "{r}.cancelled", "Whether the raise was cancelled"),
        boolean("esop_token", "{r}.esop_token", "Whether it is of an employees' share plan"),
        number(
            "post_raise_valuation",
            "{r}.post_raise_valuation",
            "Value of the whole after the raise",
        ),
        text(
            "milestone",
            "CASE WHEN {r}.raise_amount > 0 THEN trim_scale(round({r}.total_raised * 100"
            " / {r}.raise_amount, 2))::text ELSE '0' END",
            "Percent of the raise that has been raised",
        ),
        number("total_allocated", "{r}.total_allocated", "Units allocated by the raise"),
        timestamp("createdAt", "{r}.created_at", "When it was made"),
        timestamp("updatedAt", "{r}.updated_at", "When it last changed"),
    ),
    example=examples.TOKEN,
)
