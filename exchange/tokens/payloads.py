"""The wire document of a token."""

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
    text(
        "investment_type",
        "{r}.investment_type",
        "Type of instrument",
        enum=list(InvestmentType.values),
    ),
    text(
        "investment_category",
        "{r}.investment_category",
        "Category of the investment",
        enum=list(InvestmentCategory.values),
    ),
)


# In the order of the interface's table.
TOKEN = Document(
    name="Token",
    table="exchange_token",
    fields=(
        identifier("_id", "{r}.id", "Token ID"),
        text("name", "{r}.name", "Name of the investment"),
        text("symbol", "{r}.symbol", "Short name, unique"),
        WireField(
            "reference", "{r}.reference", {"type": "integer", "description": "Sequence number"}
        ),
        text("image", "{r}.image", "Image URL"),
        text("currency", "{r}.currency_id", "Currency of prices and amounts"),
        identifier("creator", "{r}.creator_id", "Member ID of the creator", nullable=True),
        identifier("asset", "{r}.id", "Ledger asset of its units"),
        text("request", "{r}.listing_reference", "Listing request"),
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
        text(
            "type",
            "{r}.type",
            "Type of the offering",
            enum=list(TokenType.values),
        ),
        text(
            "deal_access",
            "{r}.deal_access",
            "`Private`: visible to its issuer and organisations granted access",
            enum=list(DealAccess.values),
        ),
        *INVESTMENT_KIND,
        text(
            "payout_frequency",
            "{r}.payout_frequency",
            "How often income is paid; empty: no income",
            enum=list(PayoutFrequency.values),
        ),
        number("raise_amount", "{r}.raise_amount", "Target of the raise"),
        number("buy_fee", "{r}.buy_fee", "Percent of the value, paid by the buyer"),
        number("sell_fee", "{r}.sell_fee", "Percent of the value, paid by the seller"),
        number("carry", "{r}.carry", "Manager's share of the profit, in percent"),
        number("management_fee", "{r}.management_fee", "Percent per year"),
        number("valuation", "{r}.valuation", "Valuation before the raise"),
        number("discount", "{r}.discount", "Percent"),
        number("interest", "{r}.interest", "Percent"),
        number("dividend", "{r}.dividend", "Percent"),
        WireField("tenor", "{r}.tenor", {"type": "integer", "description": "Days"}),
        boolean("secondaries", "{r}.secondaries", "Whether holders may trade it"),
        boolean("completed_raise", "{r}.completed_raise", "Whether the raise is complete"),
        number("supply", "{r}.supply", "Units that investors hold"),
        number("total_supply", "{r}.total_supply", "All units issued"),
        number("total_raised", "{r}.total_raised", "Amount raised so far"),
        boolean("exited", "{r}.exited", "Whether investors have exited"),
        boolean("cancelled", "{r}.cancelled", "Whether the raise was cancelled"),
        boolean("esop_token", "{r}.esop_token", "Whether it belongs to an employee share plan"),
        number(
            "post_raise_valuation",
            "{r}.post_raise_valuation",
            "Valuation after the raise",
        ),
        text(
            "milestone",
            "CASE WHEN {r}.raise_amount > 0 THEN trim_scale(round({r}.total_raised * 100"
            " / {r}.raise_amount, 2))::text ELSE '0' END",
            "Percent of the target raised",
        ),
        number("total_allocated", "{r}.total_allocated", "Units allocated in the raise"),
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
        timestamp("updatedAt", "{r}.updated_at", "Time of the last change"),
    ),
    example=examples.TOKEN,
)
