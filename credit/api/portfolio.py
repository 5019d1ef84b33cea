"""`/v1/api/credit/user/portfolio/{userId}`: what a member has invested in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from drf_spectacular.drainage import set_override
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from credit.payloads import INVESTMENT
from credit.selectors.portfolio import portfolio
from exchange.api.answers import Answer, RawJSON
from exchange.api.schema import Record
from exchange.api.views import ApiView, path_id
from exchange.errors import UserNotFound
from exchange.models import InvestmentCategory, InvestmentType
from wallets.api.fields import LeanSerializer

# The interface's: there are wallets in others, but no filter by them.
CURRENCIES = ("NGN", "USD", "KES")


class ChoicesField(serializers.Field[Sequence[str], Any, Any, Any]):
    """An array of some of `allowed`, in any case, none twice; the values are as in `allowed`."""

    def __init__(self, *, allowed: Iterable[str], **kwargs: Any) -> None:
        super().__init__(required=False, default=(), **kwargs)
        self.allowed = [str(choice) for choice in allowed]
        self.by_folded = {choice.casefold(): choice for choice in self.allowed}
        items = {"type": "string", "enum": self.allowed}
        set_override(self, "field", {"type": "array", "items": items, "uniqueItems": True})

    def to_internal_value(self, data: Any) -> Sequence[str]:
        """The allowed values."""
        if not isinstance(data, list):
            raise serializers.ValidationError("must be an array")
        if len(data) > len(self.allowed):
            raise serializers.ValidationError(f"must have at most {len(self.allowed)} items")
        found = [
            self.by_folded.get(item.casefold()) if isinstance(item, str) else None for item in data
        ]
        wrong = [
            f"item {place}: must be one of [{', '.join(self.allowed)}]"
            for place, choice in enumerate(found, start=1)
            if choice is None
        ]
        named = [choice for choice in found if choice is not None]
        wrong += [f"must not name {c} twice" for c in self.allowed if named.count(c) > 1]
        if wrong:
            raise serializers.ValidationError(wrong)
        return named

    def to_representation(self, value: Sequence[str]) -> list[str]:
        """The values."""
        return list(value)


class PortfolioInput(LeanSerializer):
    """Filters, all optional. An empty array is no filter; values match in any case."""

    investment_types = ChoicesField(allowed=InvestmentType.values, help_text="Any of these")
    investment_categories = ChoicesField(
        allowed=InvestmentCategory.values, help_text="Any of these"
    )
    currencies = ChoicesField(
        allowed=CURRENCIES, help_text="Any of these; other currencies show without a filter"
    )


_INVESTMENT: dict[str, Any] = {
    "tokenId": "0197d8a2-6f3b-7c11-9a55-0c2f1d3e4b5a",
    "balance": 120.5,
    "lien": 30.25,
    "balance_value": 12773,
    "lien_value": 3206.5,
    "currency": "NGN",
    "investment_type": "Fixed Interest",
    "investment_category": "Real Estate",
    "name": "Lekki Gardens Notes",
    "symbol": "LGN27",
    "image": "https://images.example.com/lgn27.png",
    "price": {"buy": 108, "sell": 106, "exchange": 1530.25},
    "raise_amount": 50000000,
    "interest": 14.5,
}
_EXAMPLE = OpenApiExample(
    "Debt in NGN and KES",
    value={"investment_types": ["Debt", "Fixed Interest"], "currencies": ["NGN", "KES"]},
    request_only=True,
)


class PortfolioView(ApiView):
    """A member's investments."""

    required_scopes: ClassVar = {"POST": "portfolio:read"}
    serializer_class = PortfolioInput
    failures: ClassVar[dict[str, dict[str, str]]] = {
        "400": {"invalid_request": "currencies item 1: must be one of [NGN, USD, KES]"},
        "404": {"user_not_found": "User not found"},
    }
    answers: ClassVar = {
        "POST": {"type": "array", "items": Record(INVESTMENT), "examples": [[_INVESTMENT]]}
    }

    @extend_schema(examples=[_EXAMPLE])
    def post(self, _request: Request, member_id: str) -> Answer:
        """Get a member's investments. All of them, by token name, unless the body filters; it may
        be left out. What is held is shown whatever became of its token; of which nothing is
        left, is not.
        """
        filters = self.body()
        found = path_id(member_id, UserNotFound())
        text = portfolio(self.caller.organisation_id, found, **filters)
        return Answer(RawJSON(text), "Investments retrieved")
