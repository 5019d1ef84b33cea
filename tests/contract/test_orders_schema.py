"""What the OpenAPI document says of orders is true: fields, failures, and generated requests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from orders import errors
from tests.support.generated import hold_to_schema
from tests.support.ordering import ORDERS, Market


@pytest.fixture(scope="module")
def schema() -> Any:
    return SchemaGenerator().get_schema(public=True)


def operations() -> list[tuple[str, str]]:
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    return [
        (method, path)
        for path, item in paths.items()
        if path.startswith("/v1/orders") or path.endswith(("/wallet/tokens", "_id}/tokens"))
        for method in item
    ]


def shape(schema: Any, method: str, path: str, status: str = "200") -> Any:
    answer = schema["paths"][path][method]["responses"][status]
    return answer["content"]["application/json"]["schema"]["properties"]


def resolved(schema: Any, found: Any) -> Any:
    name = found["$ref"].rpartition("/")[2] if "$ref" in found else None
    return schema["components"]["schemas"][name] if name else found


@pytest.mark.django_db
@pytest.mark.parametrize("viewer", ["buyer", "seller"])
def test_answers_have_exactly_the_fields_that_the_schema_declares(schema, viewer):
    market = Market()
    market.sell(tokens=1)
    order = market.buy(tokens=2)
    caller = getattr(market, viewer).caller
    for path, described, plural in (
        (ORDERS, "/v1/orders", "orders"),
        (market.path(), "/v1/orders/token/{token_id}", "orders"),
        (market.path("/trades"), "/v1/orders/token/{token_id}/trades", "trades"),
        ("/v1/api/wallet/tokens", "/v1/api/wallet/tokens", "tokens"),
    ):
        body = json.loads(caller.get(path).content)
        declared = shape(schema, "get", described)
        assert set(body) == set(declared)
        assert list(body["data"]) == list(declared["data"]["properties"])
        record = resolved(schema, declared["data"]["properties"][plural]["items"])
        for shown in body["data"][plural]:
            assert list(shown) == list(record["properties"]) == record["required"]
        if "meta" in declared:
            assert list(body["meta"]) == list(declared["meta"]["properties"])
    listed = json.loads(caller.get(market.path()).content)["data"]["orders"][0]
    declared = shape(schema, "get", "/v1/orders/token/{token_id}")["data"]["properties"]
    embedded = resolved(schema, declared["orders"]["items"])["properties"]["token"]
    assert list(listed["token"]) == list(resolved(schema, embedded)["properties"])
    one = json.loads(caller.get(f"{ORDERS}/{order['_id']}").content)["data"]
    record = resolved(schema, shape(schema, "get", "/v1/orders/{order_id}")["data"])
    assert list(one) == list(record["properties"])


def test_only_lists_of_orders_declare_meta(schema):
    with_meta = {
        (method, path)
        for method, path in operations()
        for status in ("200", "201")
        if status in schema["paths"][path][method]["responses"]
        and "meta" in shape(schema, method, path, status)
    }
    assert with_meta == {("get", "/v1/orders"), ("get", "/v1/orders/token/{token_id}")}


def test_every_rule_that_refuses_an_order_is_documented_with_a_message_of_its_form(schema):
    answers = schema["paths"]["/v1/orders"]["post"]["responses"]
    documented = answers["400"]["content"]["application/json"]["examples"]
    rules = {*errors._MESSAGES, "price_out_of_band"}
    assert set(documented) == rules | {"invalid_request"}
    for code, template in errors._MESSAGES.items():
        message = documented[code]["value"]["message"]
        assert message.startswith(template.partition("{")[0]), code
    examples = {
        status: set(answers[status]["content"]["application/json"]["examples"])
        for status in ("404", "409", "422")
    }
    assert examples == {
        "404": {"token_not_found", "user_not_found"},
        "409": {"duplicate_client_order_id", "request_in_progress"},
        "422": {"idempotency_key_reused"},
    }


def test_placing_and_cancelling_take_an_idempotency_key(schema):
    for method, path in (("post", "/v1/orders"), ("delete", "/v1/orders/{order_id}")):
        parameters = {p["name"]: p for p in schema["paths"][path][method]["parameters"]}
        assert parameters["Idempotency-Key"]["in"] == "header"
        for status in schema["paths"][path][method]["responses"]:
            headers = schema["paths"][path][method]["responses"][status]["headers"]
            assert ("Idempotent-Replayed" in headers) == (status in {"200", "201"}), status


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), operations())
def test_every_answer_to_a_generated_request_is_a_declared_one(
    transactional_db: None, method: str, path: str
) -> None:
    market = Market()
    market.sell(price=101)
    known = {
        "member_id": str(market.buyer.member.id),
        "token_id": str(market.token.id),
        "order_id": market.buy(price=99)["_id"],
    }
    hold_to_schema(method, path, market.buyer.caller, known)
