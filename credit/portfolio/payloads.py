"""Wire format of investments, declared once."""

from credit.portfolio import examples
from exchange.core.documents import Document, WireField, identifier, number, text
from exchange.tokens.payloads import INVESTMENT_KIND

# In the order of the interface's table. Over the rows of `credit.portfolio.selectors`.
INVESTMENT = Document(
    name="Investment",
    table="wallets_account",
    fields=(
        identifier("tokenId", "{r}.token_id", "Token ID"),
        number("balance", "{r}.balance", "Units without lien, including those in open orders"),
        number("lien", "{r}.lien", "Units pledged for loans; not part of `balance`"),
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
        text("currency", "{r}.currency_id", "Currency of the token's prices and values"),
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
                "description": "Quotes per unit; `exchange` is units of the currency per USD",
                "properties": {
                    "buy": {"type": "number", "description": "Buy price"},
                    "sell": {"type": "number", "description": "Sell price"},
                    "exchange": {
                        "type": "number",
                        "description": "Units of the currency per USD",
                    },
                },
                "required": ["buy", "sell", "exchange"],
            },
        ),
        number("raise_amount", "{r}.raise_amount", "Target of the token's raise"),
        number("interest", "{r}.interest", "Percent"),
    ),
    example=examples.INVESTMENT,
)
