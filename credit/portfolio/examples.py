"""An example investment."""

from typing import Any

from exchange.core.examples import TOKEN_ID
from exchange.tokens.examples import TOKEN

INVESTMENT: dict[str, Any] = {
    "tokenId": TOKEN_ID,
    "balance": 120.5,
    "lien": 10000,
    "balance_value": 12773,
    "lien_value": 1060000,
    **{
        name: TOKEN[name]
        for name in (
            "currency",
            "investment_type",
            "investment_category",
            "name",
            "symbol",
            "image",
            "price",
            "raise_amount",
            "interest",
        )
    },
}
