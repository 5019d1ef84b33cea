"""Wire format of investments, declared once."""

from credit.portfolio import examples
from exchange.core.documents import Document, WireField, identifier, number, text
from exchange.tokens.payloads import INVESTMENT_KIND

_PRICE = Document(
    name="InvestmentPrice",
    table="exchange_token",
    fields=(
        number("buy", "Buy price", "{r}.price_buy"),
        number("sell", "Sell price", "{r}.price_sell"),
        number("exchange", "Units of the currency per USD", "{r}.price_exchange"),
    ),
)
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
            _PRICE.expression("{r}"),
            {
                **_PRICE.schema(),
                "description": "Quotes per unit; `exchange` is units of the currency per USD",
            },
        ),
        number("raise_amount", "Target of the token's raise"),
        number("interest", "Percent"),
    ),
    example=examples.INVESTMENT,
)
