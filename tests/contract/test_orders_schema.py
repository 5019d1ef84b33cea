"""What the OpenAPI document says of orders is true: fields and failures."""

import json
from typing import Any

import pytest

from orders.book import errors
from tests.assertions.openapi import (
    data_properties,
    document,
    documented_response,
    resolve_reference,
)
from tests.factories.market import ORDERS, Market

REFERENCES: dict[str, Any] = {"client_order_id": "17", "client_reference": "a", "metadata": {}}


def assert_declared(shown: dict[str, Any], schema: dict[str, Any]) -> None:
    """Assert that a record has its required fields, and the optional ones only where sent."""
    assert list(shown) == [name for name in schema["properties"] if name in shown]
    missing = schema["properties"].keys() - shown.keys()
    assert missing <= REFERENCES.keys()
    assert set(schema["required"]) == schema["properties"].keys() - REFERENCES.keys()


@pytest.mark.django_db
@pytest.mark.parametrize("viewer", ["buyer", "seller"])
def test_answers_have_exactly_the_fields_that_the_schema_declares(viewer):
    market = Market()
    market.sell(tokens=1)
    order = market.buy(tokens=2, **REFERENCES)
    caller = getattr(market, viewer).caller
    for path, described, plural in (
        (ORDERS, "/v1/orders", "orders"),
        (market.path(), "/v1/orders/token/{token_id}", "orders"),
        (market.path("/trades"), "/v1/orders/token/{token_id}/trades", "trades"),
        ("/v1/api/wallet/tokens", "/v1/api/wallet/tokens", "tokens"),
    ):
        body = json.loads(caller.get(path).content)
        declared = data_properties("get", described)
        assert set(body) == set(declared)
        page = resolve_reference(declared["data"])["properties"]
        assert list(body["data"]) == [name for name in page if name != "next_cursor"]
        record = resolve_reference(page[plural]["items"])
        for shown in body["data"][plural]:
            assert_declared(shown, record)
        if "meta" in declared:
            assert list(body["meta"]) == list(resolve_reference(declared["meta"])["properties"])
    listed = json.loads(caller.get(market.path()).content)["data"]["orders"][0]
    page = resolve_reference(data_properties("get", "/v1/orders/token/{token_id}")["data"])[
        "properties"
    ]
    [embedded] = resolve_reference(page["orders"]["items"])["properties"]["token"]["allOf"]
    assert list(listed["token"]) == list(resolve_reference(embedded)["properties"])
    one = json.loads(caller.get(f"{ORDERS}/{order['_id']}").content)["data"]
    record = resolve_reference(data_properties("get", "/v1/orders/{order_id}")["data"])
    assert_declared(one, record)
    assert REFERENCES.keys() <= record["properties"].keys()
    assert (REFERENCES.keys() <= one.keys()) is (viewer == "buyer")


def test_every_rule_that_refuses_an_order_is_documented_with_a_message_of_its_form():
    answers = document()["paths"]["/v1/orders"]["post"]["responses"]
    documented = answers["400"]["content"]["application/json"]["examples"]
    own = {code: text for code, text in errors._MESSAGES.items() if "_decimals" not in code}
    del own["below_filled"]  # of amendments
    assert set(documented) == {*own, "price_out_of_band", "invalid_request"}
    for code, template in own.items():
        message = documented[code]["value"]["message"]
        assert message.startswith(template.partition("{")[0]), code
    examples = {
        status: set(answers[status]["content"]["application/json"]["examples"])
        for status in ("404", "409", "422")
    }
    assert examples == {
        "404": {"token_not_found", "user_not_found"},
        "409": {
            "account_frozen",
            "client_reference_taken",
            "duplicate_client_order_id",
            "member_closed",
            "no_liquidity",
            "not_fillable",
            "receivable_due",
            "record_pending",
            "request_in_progress",
            "token_halted",
            "units_held",
            "would_take",
        },
        "422": {"idempotency_key_reused"},
    }


def test_what_refuses_an_amendment_is_documented():
    answers = document()["paths"]["/v1/orders/{order_id}"]["patch"]["responses"]
    examples = {
        status: answers[status]["content"]["application/json"]["examples"]
        for status in ("400", "404", "409")
    }
    assert "below_filled" in examples["400"]
    assert "in_primary_raise" not in examples["400"]
    assert set(examples["404"]) == {"order_not_found", "token_not_found"}
    assert {"filled_changed", "state_conflict", "terms_changed", "would_take"} <= set(
        examples["409"]
    )
    assert not {"no_liquidity", "duplicate_client_order_id"} & set(examples["409"])


def test_placing_amending_and_cancelling_take_an_idempotency_key():
    for method, path in (
        ("post", "/v1/orders"),
        ("patch", "/v1/orders/{order_id}"),
        ("delete", "/v1/orders/{order_id}"),
    ):
        described = document()["paths"][path][method]
        parameters = {p["name"]: p for p in described["parameters"]}
        assert parameters["Idempotency-Key"]["in"] == "header"
        for status in described["responses"]:
            headers = documented_response(method, path, status)["headers"]
            assert ("Idempotent-Replayed" in headers) == (status in {"200", "201"}), status
