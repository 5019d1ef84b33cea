"""Filters of tokens."""

from django.db.models import QuerySet

from exchange.api.filters import (
    ChangingFilters,
    CurrencyFilter,
    EnumeratedFilter,
    FlagFilter,
    TextFilter,
)
from exchange.core.words import NameWordsQuery
from exchange.tokens.models import InvestmentCategory, InvestmentType, Token, TokenType


class TokenKindFilters(ChangingFilters):
    """Filters shared by both lists of tokens."""

    private = FlagFilter(method="filter_type", help_text="Whether `type` is Private or Public")
    investment_type = EnumeratedFilter(
        allowed=InvestmentType.values,
        aliases=("debt", "fixed interest", "safe"),
        help_text="Type of instrument",
    )

    def filter_type(self, tokens: QuerySet[Token], _name: str, private: bool) -> QuerySet[Token]:
        """Filter by type."""
        return tokens.filter(type=TokenType.PRIVATE if private else TokenType.PUBLIC)


class ActiveTokenFilters(TokenKindFilters):
    """Filters of active tokens."""

    closed = FlagFilter(default=False, help_text="Whether it is closed to new orders")
    exited = FlagFilter(default=False, help_text="Whether investors have exited")
    primary_raise = FlagFilter(
        method="filter_market",
        help_text="`true`: in primary raise, open to all investors; `false`: in secondaries",
    )
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of its prices")

    def filter_market(self, tokens: QuerySet[Token], _name: str, primary: bool) -> QuerySet[Token]:
        """Filter tokens in their raise, or tokens in the secondary market."""
        return tokens.filter(completed_raise=False) if primary else tokens.filter(secondaries=True)


class TokenSearchFilters(TokenKindFilters):
    """Filters of the token search."""

    name = TextFilter(
        method="filter_name",
        max_length=200,
        help_text="Prefixes of words of the name, in any order; case and accents do not count",
    )
    symbol = TextFilter(
        lookup_expr="istartswith", max_length=20, help_text="Prefix of the symbol, case-insensitive"
    )
    closed = FlagFilter(help_text="Whether it is closed to new orders")
    exited = FlagFilter(help_text="Whether investors have exited")
    completed_raise = FlagFilter(help_text="Whether the raise is complete")
    investment_category = EnumeratedFilter(
        allowed=InvestmentCategory.values, help_text="Category of the investment"
    )

    def filter_name(self, tokens: QuerySet[Token], _name: str, text: str) -> QuerySet[Token]:
        """Filter by prefixes of words of the name."""
        return tokens.filter(words=NameWordsQuery(text))
