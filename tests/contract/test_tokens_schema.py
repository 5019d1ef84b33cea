"""What the OpenAPI document says of tokens is what the lists do."""

from typing import Any

import pytest

from exchange.core.currencies import WALLET_CURRENCIES as CURRENCIES
from exchange.core.models import Currency
from exchange.tokens.models import InvestmentCategory, InvestmentType
from exchange.tokens.payloads import TOKEN
from tests.assertions.openapi import allowed_values, data_properties, document, resolve_reference

TIMES = {"created_from", "created_to", "updated_from", "updated_to"}
PAGING = {"page", "limit", "sort", "use_cursor", "cursor"} | TIMES
KINDS = {"private", "investment_type"}
FLAG = {"type": "boolean"}


@pytest.fixture(scope="module")
def paths() -> Any:
    return document()["paths"]


def parameters(operation: Any) -> dict[str, Any]:
    return {p["name"]: p["schema"] for p in operation["parameters"] if p["in"] == "query"}


def test_every_filter_is_documented_with_its_values_and_defaults(paths):
    listed = parameters(paths["/v1/api/tokens"]["get"])
    assert set(listed) == {"closed", "exited", "primary_raise", "currency"} | KINDS | PAGING
    assert listed["closed"] == listed["exited"] == {**FLAG, "default": False}
    assert listed["private"] == listed["primary_raise"] == FLAG
    assert set(allowed_values(listed["currency"])) == set(CURRENCIES)
    searched = parameters(paths["/v1/api/token/search"]["get"])
    own = {"name", "symbol", "closed", "exited", "completed_raise", "investment_category"}
    assert set(searched) == own | KINDS | PAGING
    assert searched["exited"] == searched["completed_raise"] == FLAG
    assert (searched["name"]["type"], searched["symbol"]["type"]) == ("string", "string")
    assert set(allowed_values(searched["investment_category"])) == set(InvestmentCategory.values)
    for found in (listed, searched):
        assert set(allowed_values(found["investment_type"])) == {
            *InvestmentType.values, "safe", "debt", "fixed interest",
        }  # fmt: skip
        assert allowed_values(found["sort"]) == [
            "createdAt", "-createdAt", "updatedAt", "-updatedAt", "name", "-name",
        ]  # fmt: skip
        assert found["sort"]["default"] == "-createdAt"
        assert (found["page"]["default"], found["limit"]["default"]) == (1, 20)


def test_lists_answer_pages_of_the_record_that_a_single_token_is(paths):
    record = {"$ref": f"#/components/schemas/{TOKEN.name}"}

    assert data_properties("get", "/v1/api/token/{token_id}")["data"] == record
    for path in ("/v1/api/tokens", "/v1/api/token/search"):
        shape = resolve_reference(data_properties("get", path)["data"])
        assert shape["required"] == ["count", "tokens"]
        assert shape["properties"]["tokens"]["items"] == record
        assert paths[path]["get"]["security"][0] == {"oauth2": ["tokens:read"]}


@pytest.mark.django_db
def test_the_currencies_that_filters_name_are_those_of_the_exchange():
    rows = Currency.objects.order_by("position").values_list("code", flat=True)
    assert list(rows) == list(CURRENCIES)
