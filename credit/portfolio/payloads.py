"""What an investment looks like on the wire, declared once."""

from __future__ import annotations

from credit.portfolio import examples
from exchange.core.documents import Document, WireField, identifier, number, text
from exchange.tokens.payloads import INVESTMENT_KIND

# In the order of the interface's table. Over the rows of `credit.portfolio.selectors`.
INVESTMENT = Document(
    name="Investment",
    table="wallets_account",
    fields=(
        identifier("tokenId", "{r}.token_id", "Token id"),
        number("balance", "{r}.balance", "Units held free of lien, those in open orders included"),
        number("lien", "{r}.lien", "Units that secure loans; not part of `balance`"),
        number(
            "balance_value",
            "round_half_even({r}.balance * {r}.price_sell, {r}.decimals)",
            "`balance` at `price.sell`, rounded half-even to the currency's decimals",
        ),
        number(
            "lien_value",
            "round_half_even({r}.lien * {r}.price_sell, {r}.decimals)",
            "`lien` at `price.sell`, rounded half-even to the currency's decimals",
        ),
        text("currency", "{r}.currency_id", "What the token's prices and values are in"),
        *INVESTMENT_KIND,
        text("name", "{r}.name", "Token name"),
        text("symbol", "{r}.symbol", "Token symbol"),
        text("image", "{r}.image", "URL"),
        WireField(
            "price",
            """'{"buy":' || trim_scale({r}.price_buy) || ',"sell":' || trim_scale({r}.price_sell)"""
            """ || ',"exchange":' || trim_scale({r}.price_exchange) || '}'""",
            {
                "type": "object",
                "description": "Quotes for one unit; `exchange` is units of the currency for one"
                " USD",
                "properties": {
                    "buy": {"type": "number", "description": "For those who buy"},
                    "sell": {"type": "number", "description": "For those who sell"},
                    "exchange": {
                        "type": "number",
                        "description": "Units of the currency for one USD",
                    },
                },
                "required": ["buy", "sell", "exchange"],
            },
        ),
        number("raise_amount", "{r}.raise_amount", "What the token's raise is to bring"),
        number("interest", "{r}.interest", "Percent"),
    ),
    example=examples.INVESTMENT,
)
