"""The OpenAPI document uses forms that generators and validators share."""

from collections.abc import Iterator
from typing import Any

from django.test import Client

from tests.assertions.openapi import (
    allowed_values,
    body_schema,
    document,
    operations,
    schema_errors,
    webhooks,
)


def enumerations(found: Any, where: str = "") -> Iterator[str]:
    """The places of enumerations and of `multipleOf` below `found`, without examples."""
    if isinstance(found, dict):
        if {"enum", "multipleOf"} & found.keys():
            yield where
        for key, value in found.items():
            if key not in {"example", "examples"}:
                yield from enumerations(value, f"{where}/{key}")
    elif isinstance(found, list):
        for value in found:
            yield from enumerations(value, where)


def test_enumerations_of_requests_are_named_and_those_of_responses_open():
    schemas = document()["components"]["schemas"]
    named = {name for name, schema in schemas.items() if "enum" in schema}
    assert set(enumerations(document())) == {f"/components/schemas/{name}" for name in named}
    assert set(enumerations(webhooks())) == set()
    assert {"Currency", "OrderType", "WithdrawalsListStatus", "WithdrawalsListSort"} <= named
    assert not {name for name in named if "x-enum-varnames" in schemas[name]}
    status = schemas["Order"]["properties"]["status"]
    assert (status["type"], status["x-extensible-enum"]) == (
        "string", ["Active", "Fulfilled", "Cancelled"],
    )  # fmt: skip
    assert status["description"].endswith(
        "Values: `Active`, `Fulfilled`, `Cancelled`; others may be added"
    )
    paid_to = schemas["Income"]["properties"]["paid_to"]
    assert (paid_to["type"], paid_to["x-extensible-enum"]) == (
        ["string", "null"], ["wallet", "loan"],
    )  # fmt: skip
    currency = schemas["VirtualAccountInput"]["properties"]["currency"]
    assert allowed_values(currency) == ["NGN", "GHS"]


# Names of times before there was one naming, which stay: those of the interface (loans, the instant
# of a withdrawal's decision, periods), of events and of the webhook endpoint. And of filters.
OLD_TIMES = {
    "created_at": {"Event", "EventDetail", "ListedLoan", "Loan", "LoanDetail"},
    "updated_at": {"ListedLoan", "Loan", "LoanDetail"},
    "actioned_on": {"WithdrawalRequest", "WithdrawalWithBank"},
    "available_on": {"Deposit"},
    "openedAt": {"LoanDetail"},
    "previous_secret_until": {"Webhook", "WebhookSet", "WebhookWithSecret"},
    "created_from": {"BulkRedeliverInput"},
    "created_to": {"BulkRedeliverInput"},
    "from": {"AccountStatement"},
    "to": {"AccountStatement"},
}
for name in ("created_at", "updated_at"):
    OLD_TIMES[name] |= {"Webhook", "WebhookSet", "WebhookWithSecret"}


def times(schema: dict[str, Any]) -> Iterator[str]:
    """The fields with a time at every depth of a component, without those of others."""
    for name, field in schema.get("properties", {}).items():
        parts = [field, *field.get("oneOf", []), *field.get("anyOf", [])]
        if "date-time" in {part.get("format") for part in parts}:
            yield name
        for part in parts:
            yield from times(part)
            yield from times(part.get("items", {}))
    for part in schema.get("allOf", []):
        yield from times(part)


def test_times_of_new_records_have_one_naming():
    """`createdAt`, `updatedAt`, and for any other time what happened and `_at`."""
    odd = [
        (component, name)
        for component, schema in document()["components"]["schemas"].items()
        for name in times(schema)
        if name not in {"createdAt", "updatedAt"}
        and (name in {"created_at", "updated_at"} or not name.endswith("_at"))
        and component not in OLD_TIMES.get(name, ())
        and not (name == "timestamp" and component.endswith(("Event", "EventDetail")))
    ]
    assert odd == []


def test_every_text_that_may_be_blank_takes_an_empty_one():
    member = {"$ref": "#/components/schemas/PatchedMemberChanges"}
    for name in ("external_id", "tax_id", "tax_residence"):
        assert schema_errors(member, {name: ""}) == [], name
    assert schema_errors(member, {})
    body = {"$ref": "#/components/schemas/VirtualAccountInput"}
    assert schema_errors(body, {"currency": "GHS", "bvn": ""}) == []
    assert schema_errors(body, {"currency": "KES"})
    both = [
        name
        for name, schema in document()["components"]["schemas"].items()
        for field in schema.get("properties", {}).values()
        if [part.get("maxLength") for part in field.get("oneOf", [])].count(0)
    ]
    assert both == []


def test_ids_in_paths_are_uuids_except_those_of_clients():
    formats = {
        parameter["name"]: parameter["schema"].get("format")
        for _, _, operation in operations()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "path"
    }
    assert formats.pop("client_order_id") is None
    assert set(formats.values()) == {"uuid"}


def test_the_bodies_of_webhooks_are_components_of_both_documents():
    served = Client().get("/v1/schema/webhooks").json()
    shared = document()["components"]["schemas"]
    assert "webhooks" not in document()
    assert "paths" not in served
    for event_type, told in served["webhooks"].items():
        reference = body_schema(told["post"]["requestBody"])
        name = reference["$ref"].removeprefix("#/components/schemas/")
        assert name == f"{event_type.title().replace('.', '').replace('_', '')}Event"
        assert served["components"]["schemas"][name] == shared[name]
    from openapi_spec_validator import OpenAPIV31SpecValidator

    assert [str(error) for error in OpenAPIV31SpecValidator(served).iter_errors()] == []
