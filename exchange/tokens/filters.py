"""Filters of tokens."""

from __future__ import annotations

from django.contrib.postgres.search import SearchQuery
from django.db.models import QuerySet

from exchange.api.filters import (
    ChangingFilters,
    ChoiceFilter,
    CurrencyFilter,
    FlagFilter,
    TextFilter,
)
from exchange.tokens.models import InvestmentCategory, InvestmentType, Token, TokenType


class NameWordsQuery(SearchQuery):
    """What `name_words` (SQL) makes of a text: its words, each the beginning of a word of a name.

    A text without a letter or a digit finds nothing.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.function = "name_words"


class TokenKindFilters(ChangingFilters):
    """What both lists of tokens are filtered by."""

    private = FlagFilter(method="filter_type", help_text="Whether `type` is Private or Public")
    investment_type = ChoiceFilter(
        allowed=InvestmentType.values,
        aliases=("debt", "fixed interest", "safe"),
        help_text="Kind of investment",
    )

    class Meta:
        model = Token
        fields: tuple[str, ...] = ()

    def filter_type(self, tokens: QuerySet[Token], _name: str, private: bool) -> QuerySet[Token]:
        """Tokens of one type."""
        return tokens.filter(type=TokenType.PRIVATE if private else TokenType.PUBLIC)


class ActiveTokenFilters(TokenKindFilters):
    """Active tokens by state, kind and currency."""

    closed = FlagFilter(default=False, help_text="Whether it takes no new orders")
    exited = FlagFilter(default=False, help_text="Whether investors have exited")
    primary_raise = FlagFilter(
        method="filter_market",
        help_text="`true`: still in primary raise, open to all investors; `false`: in secondaries",
    )
    currency = CurrencyFilter(field_name="currency_id", help_text="What its prices are in")

    def filter_market(self, tokens: QuerySet[Token], _name: str, primary: bool) -> QuerySet[Token]:
        """Tokens that are still raising, or those that holders trade."""
        return tokens.filter(completed_raise=False) if primary else tokens.filter(secondaries=True)


class TokenSearchFilters(TokenKindFilters):
    """All tokens by name, symbol, state and kind."""

    name = TextFilter(
        method="filter_name",
        max_length=200,
        help_text="Beginnings of words of the name, in any order and any case",
    )
    symbol = TextFilter(
        lookup_expr="istartswith", max_length=20, help_text="Beginning of the symbol, in any case"
    )
    closed = FlagFilter(help_text="Whether it takes no new orders")
    exited = FlagFilter(help_text="Whether investors have exited")
    completed_raise = FlagFilter(help_text="Whether the raise is complete")
    investment_category = ChoiceFilter(
        allowed=InvestmentCategory.values, help_text="What the investment is in"
    )

    def filter_name(self, tokens: QuerySet[Token], _name: str, text: str) -> QuerySet[Token]:
        """Tokens whose name has words that begin so."""
        return tokens.filter(words=NameWordsQuery(text))
