"""What the OpenAPI document says of tokens is what the lists do."""

from __future__ import annotations

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from exchange.filtersets import CURRENCIES
from exchange.models import Currency, InvestmentCategory, InvestmentType
from exchange.payloads import TOKEN

PAGING = {"page", "limit", "sort"}
KINDS = {"private", "investment_type"}
FLAG = {"type": "boolean"}


@pytest.fixture(scope="module")
def paths() -> Any:
    return SchemaGenerator(urlconf="tests.support.api_urls").get_schema(public=True)["paths"]


def parameters(operation: Any) -> dict[str, Any]:
    return {p["name"]: p["schema"] for p in operation["parameters"] if p["in"] == "query"}


def test_every_filter_is_documented_with_its_values_and_defaults(paths):
    listed = parameters(paths["/v1/api/tokens"]["get"])
    assert set(listed) == {"closed", "exited", "primary_raise", "currency"} | KINDS | PAGING
    assert listed["closed"] == listed["exited"] == {**FLAG, "default": False}
    assert listed["private"] == listed["primary_raise"] == FLAG
    assert set(listed["currency"]["enum"]) == set(CURRENCIES)
    searched = parameters(paths["/v1/api/token/search"]["get"])
    own = {"name", "symbol", "exited", "completed_raise", "investment_category"}
    assert set(searched) == own | KINDS | PAGING
    assert searched["exited"] == searched["completed_raise"] == FLAG
    assert (searched["name"]["type"], searched["symbol"]["type"]) == ("string", "string")
    assert set(searched["investment_category"]["enum"]) == set(InvestmentCategory.values)
    for found in (listed, searched):
        assert set(found["investment_type"]["enum"]) == set(InvestmentType.values)
        assert found["sort"]["enum"] == ["createdAt", "-createdAt", "name", "-name"]
        assert found["sort"]["default"] == "-createdAt"
        assert (found["page"]["default"], found["limit"]["default"]) == (1, 20)


def test_lists_answer_pages_of_the_record_that_a_single_token_is(paths):
    record = {"$ref": f"#/components/schemas/{TOKEN.name}"}

    def data(path: str) -> Any:
        answer = paths[path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        return answer["properties"]["data"]

    assert data("/v1/api/token/{token_id}") == record
    for path in ("/v1/api/tokens", "/v1/api/token/search"):
        shape = data(path)
        assert shape["required"] == ["page", "pages", "count", "total", "tokens"]
        assert shape["properties"]["tokens"] == {"type": "array", "items": record}
        assert paths[path]["get"]["security"][0] == {"oauth2": ["tokens:read"]}


@pytest.mark.django_db
def test_the_currencies_that_filters_name_are_those_of_the_exchange():
    rows = Currency.objects.order_by("position").values_list("code", flat=True)
    assert list(rows) == list(CURRENCIES)
