"""Wire format of investments, declared once."""

from credit.portfolio import examples
from exchange.core.documents import Document, WireField, identifier, number, text
from exchange.tokens.payloads import INVESTMENT_KIND

# In the order of the interface's table. Over the rows of `credit.portfolio.selectors`.
INVESTMENT = Document(
    name="Investment",
    table="wallets_account",
    fields=(
        identifier("tokenId", "Token ID", "{r}.token_id"),
        number("balance", "Units without lien, including those in open orders"),
        number("lien", "Units pledged for loans; not part of `balance`"),
        number(
            "balance_value",
            "`balance` at `price.sell`, rounded half-even to the currency's decimals",
            "round_half_even({r}.balance * {r}.price_sell, {r}.decimals)",
        ),
        number(
            "lien_value",
            "`lien` at `price.sell`, rounded half-even to the currency's decimals",
            "round_half_even({r}.lien * {r}.price_sell, {r}.decimals)",
        ),
        text("currency", "Currency of the token's prices and values", "{r}.currency_id"),
        *INVESTMENT_KIND,
        text("name", "Token name"),
        text("symbol", "Token symbol"),
        text("image", "URL"),
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
        number("raise_amount", "Target of the token's raise"),
        number("interest", "Percent"),
    ),
    example=examples.INVESTMENT,
)
