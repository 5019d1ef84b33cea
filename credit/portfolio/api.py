"""`/v1/api/credit/user/portfolio/{userId}`: the investments of a member."""

from collections.abc import Iterable, Sequence
from typing import Any

from drf_spectacular.drainage import set_override
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request

from credit.portfolio.payloads import INVESTMENT
from credit.portfolio.selectors import read_portfolio
from exchange.api.operations import RecordList, operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.serializers import LeanSerializer
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.errors import InvalidCurrency, InvalidRequest
from exchange.core.text import match_choice
from exchange.participants.errors import UserNotFound
from exchange.tokens.models import InvestmentCategory, InvestmentType

# As defined by the interface; other wallet currencies cannot be filtered by.
CURRENCIES = ("NGN", "USD", "KES")


class ChoicesField(serializers.Field[Sequence[str], Any, Any, Any]):
    """An array of distinct values of `allowed`, case-insensitive; values are as in `allowed`.

    `error` is the type of the error about others.
    """

    def __init__(
        self, *, allowed: Iterable[str], error: type[InvalidCurrency] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(required=False, default=(), **kwargs)
        self.allowed = [str(choice) for choice in allowed]
        self.error = error
        schema = {
            "type": "array",
            "items": {"type": "string", "enum": self.allowed},
            "maxItems": len(self.allowed),
            "uniqueItems": True,
        }
        set_override(self, "field", schema)

    def to_internal_value(self, data: Any) -> Sequence[str]:
        """Return the values as in `allowed`."""
        if not isinstance(data, list):
            raise serializers.ValidationError("must be an array")
        if len(data) > len(self.allowed):
            raise serializers.ValidationError(f"must have at most {len(self.allowed)} items")
        found = [match_choice(item, self.allowed) for item in data]
        expected = f"must be one of [{', '.join(self.allowed)}]"
        refusal = self.error(self.allowed) if self.error else InvalidRequest(expected)
        wrong = [
            ErrorDetail(f"item {place}: {refusal.message}", code=refusal.code)
            for place, choice in enumerate(found, start=1)
            if choice is None
        ]
        named = [choice for choice in found if choice is not None]
        wrong += [
            ErrorDetail(f"must not name {choice} twice", code=InvalidRequest.code)
            for choice in self.allowed
            if named.count(choice) > 1
        ]
        if wrong:
            raise serializers.ValidationError(wrong)
        return named


class PortfolioInput(LeanSerializer):
    """Optional filters. An empty array does not filter; values are case-insensitive."""

    investment_types = ChoicesField(allowed=InvestmentType.values, help_text="Any of these")
    investment_categories = ChoicesField(
        allowed=InvestmentCategory.values, help_text="Any of these"
    )
    currencies = ChoicesField(
        allowed=CURRENCIES,
        error=InvalidCurrency,
        help_text="Any of these; other currencies are returned only without this filter",
    )


_EXAMPLE = OpenApiExample(
    "Debt in NGN and KES",
    value={"investment_types": ["Debt", "Fixed Interest"], "currencies": ["NGN", "KES"]},
    request_only=True,
)


class PortfolioViewSet(ApiViewSet):
    """A member's investments."""

    tag = "Investments"

    @operation(
        "Investments retrieved",
        id="investments_list",
        scope="portfolio:read",
        body=PortfolioInput,
        response=RecordList(INVESTMENT),
        failures={
            "400": {
                "invalid_currency": f"currencies item 1: {InvalidCurrency(CURRENCIES).message}"
            },
            "404": {"user_not_found": "User not found"},
        },
        examples=[_EXAMPLE],
    )
    def create(self, _request: Request, member_id: str) -> SuccessResponse:
        """List a member's investments. Sorted by token name; the body with filters is optional.
        Holdings are shown whatever the status of their token; empty ones are left out.
        """
        filters = self.body()
        found = parse_path_id(member_id, UserNotFound)
        return self.respond(RawJSON(read_portfolio(self.caller.organisation_id, found, **filters)))
