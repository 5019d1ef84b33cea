"""The OpenAPI document is valid, complete and served offline."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from tests.assertions.openapi import (
    allowed_values,
    body_schema,
    data_properties,
    document,
    documented_response,
    operations,
    resolve_reference,
    schema_errors,
    webhooks,
)
from tests.factories.api_clients import make_caller, make_member

ACTIONS = (
    "add_collateral|amend|cancel|close|create|delete|fee|find|fund|list|preview|quote|redeliver|release_collateral|"
    "reopen|repay|resolve|retrieve|revoke|rotate_secret|search|set|statement|test|update"
)
OPERATION_ID = re.compile(rf"[a-z]+(_[a-z]+)*_({ACTIONS})")


def in_the_envelope() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation but for those of OAuth, whose answers are the RFC's, and of files."""
    return (
        found
        for found in operations()
        if not found[0].startswith("/v1/oauth") and not is_file(found[2])
    )


def is_file(operation: dict[str, Any]) -> bool:
    """Return whether a success is always a file."""
    success = operation["responses"].get("200", {})
    return "content" in success and "application/json" not in success["content"]


def bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema of a request body, an answer and an event, by where it stands."""
    for path, method, operation in operations():
        if "requestBody" in operation:
            for content in operation["requestBody"]["content"].values():
                yield f"{method} {path}", content["schema"]
        for status, found in operation["responses"].items():
            for content in resolve_reference(found).get("content", {}).values():
                yield f"{method} {path} {status}", content["schema"]
    for event_type, told in webhooks().items():
        yield event_type, body_schema(told["post"]["requestBody"])


def fields(
    schema: dict[str, Any], where: str, walked: frozenset[str] = frozenset()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field that a schema declares, at every depth, by its path."""
    name = schema.get("$ref", "")
    if name in walked:
        return
    walked, schema = walked | {name} - {""}, resolve_reference(schema)
    for field, found in schema.get("properties", {}).items():
        yield f"{where}.{field}", found
        yield from fields(found, f"{where}.{field}", walked)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from fields(schema[key], f"{where}[]", walked)
    for key in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(key, []):
            yield from fields(part, where, walked)


def test_the_document_is_valid_openapi_and_made_without_warnings():
    out = io.StringIO()
    call_command("spectacular", format="openapi-json", fail_on_warn=True, stdout=out)
    made = json.loads(out.getvalue())
    assert made == {**document(), "webhooks": webhooks()}
    assert made["openapi"].startswith("3.1")
    # Takes more than a second to import, which every process of a run would spend on collection.
    from openapi_spec_validator import OpenAPIV31SpecValidator

    # The command's option validates by the same schema of OpenAPI 3.1, and takes seconds.
    assert [str(error) for error in OpenAPIV31SpecValidator(made).iter_errors()] == []


def test_it_says_whose_it_is_where_it_is_and_how_it_is_parted():
    info = document()["info"]
    assert info["contact"]["name"]
    assert info["license"] == {"name": "MIT", "identifier": "MIT"}
    assert document()["servers"] == [{"url": "/", "description": "This installation"}]
    declared = {tag["name"]: tag["description"] for tag in document()["tags"]}
    assert all(declared.values())
    used = {tag for _, _, operation in operations() for tag in operation["tags"]}
    assert used == set(declared)


def test_operation_ids_are_a_resource_and_an_action_and_each_is_given_once():
    names = [operation["operationId"] for _, _, operation in operations()]
    assert [name for name in names if not OPERATION_ID.fullmatch(name)] == []
    names += [told["post"]["operationId"] for told in webhooks().values()]
    assert len(set(names)) == len(names)
    assert {"withdrawals_list", "withdrawals_cancel", "loans_create", "orders_create"} <= set(names)


def test_no_record_has_an_array_of_its_own_name():
    """The generator of the Python client calls the record and its array by one variable."""
    found = {
        name
        for name, schema in document()["components"]["schemas"].items()
        for field, form in schema.get("properties", {}).items()
        if form.get("type") == "array" and field.replace("_", "") == name.lower()
    }
    assert found == set()


def test_every_operation_names_its_scope_and_says_what_it_does():
    for path, method, operation in operations():
        assert operation["summary"], (path, method)
        assert operation["description"].startswith(operation["summary"]), (path, method)
        if path.startswith("/v1/oauth"):
            continue
        assert [list(way) for way in operation["security"]] == [["oauth2"], ["bearer"]]
        [scope] = operation["security"][0]["oauth2"]
        assert scope in settings.SCOPES
    ways = document()["components"]["securitySchemes"]
    assert ways["oauth2"]["flows"]["clientCredentials"]["tokenUrl"] == "/v1/oauth/token"
    assert (ways["bearer"]["type"], ways["bearer"]["scheme"]) == ("http", "bearer")


def test_every_parameter_and_every_field_at_every_depth_is_described():
    missing = [
        f"{operation['operationId']} {found['name']}"
        for _, _, operation in operations()
        for found in operation.get("parameters", [])
        if not found.get("description")
    ]
    missing += [
        place
        for where, schema in bodies()
        for place, found in fields(schema, where)
        if not found.get("description") and "$ref" not in found
    ]
    assert missing == []


def test_bodies_have_no_defaults_and_demand_only_what_the_service_demands():
    sent = [
        (operation["operationId"], content["schema"])
        for _, _, operation in operations()
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]
    assert [
        place
        for where, schema in sent
        for place, found in fields(schema, where)
        if "default" in found
    ] == []
    schemas = document()["components"]["schemas"]
    withdrawal = {"amount", "bank_name", "account_name", "account_number", "currency"}
    assert set(schemas["WithdrawalInput"]["required"]) == withdrawal
    assert set(schemas["OrderInput"]["required"]) == {"token_id", "type"}
    assert "required" not in schemas["PortfolioInput"]


def unbounded(schema: dict[str, Any], where: str) -> Iterator[str]:
    """Texts of any form, numbers of any size and arrays of any length in what clients send."""
    schema = resolve_reference(schema)
    bounds = {
        "string": {"enum", "const", "format", "pattern"},
        "number": {"maximum"},
        "integer": {"maximum"},
        "array": {"maxItems"},
    }.get(schema.get("type", ""), set())
    if bounds and not schema.keys() & bounds:
        yield where
    for name, field in schema.get("properties", {}).items():
        yield from unbounded(field, f"{where}.{name}")
    parts = [schema["items"]] if "items" in schema else []
    for part in (
        *parts,
        *schema.get("anyOf", []),
        *schema.get("oneOf", []),
        *schema.get("allOf", []),
    ):
        yield from unbounded(part, where)


def test_everything_that_is_sent_has_its_form_and_size():
    """But for ids in bodies (one that is none finds nothing) and counts that may be any size."""
    found = set()
    for _, _, operation in in_the_envelope():
        name = operation["operationId"]
        for parameter in operation.get("parameters", []):
            if parameter["in"] != "path" and parameter["name"] not in {"page", "limit", "levels"}:
                found |= set(unbounded(parameter["schema"], f"{name} {parameter['name']}"))
        if "requestBody" in operation:
            found |= set(unbounded(body_schema(operation["requestBody"]), name))
    assert {where for where in found if not where.endswith(".collaterals.token_id")} == set()


def test_bodies_have_the_constraints_that_the_service_enforces():
    schemas = document()["components"]["schemas"]
    withdrawal = schemas["WithdrawalInput"]["properties"]
    assert withdrawal["amount"].items() >= {
        "type": "number", "minimum": 1, "maximum": 10**15, "x-decimals": 2,
    }.items()  # fmt: skip
    assert withdrawal["account_number"]["pattern"] == "^[A-Za-z0-9]{4,34}$"
    assert (withdrawal["bank_name"]["minLength"], withdrawal["bank_name"]["maxLength"]) == (1, 200)
    price = schemas["OrderInput"]["properties"]["price"]
    assert (price["exclusiveMinimum"], price["maximum"]) == (0, 10**15)
    assert schemas["OrderInput"]["properties"]["tokens"]["x-decimals"] == 8
    body = {"$ref": "#/components/schemas/WithdrawalInput"}
    good = {
        "amount": 90.02,
        "bank_name": "Guaranty Trust Bank",
        "account_name": "Zoë Green",
        "account_number": "0690000031",
        "currency": "NGN",
    }
    for more in ({}, {"recipient_email": ""}, {"recipient_email": "a@example.com"}):
        assert schema_errors(body, {**good, **more}) == []
    for bad in (
        {"amount": 0.5},
        {"amount": 90.025},
        {"amount": "90"},
        {"account_number": "069-000"},
        {"account_name": " "},
        {"account_name": "Zo\u202eë"},
        {"bank_name": "A\nB"},
        {"currency": "USD"},
        {"recipient_email": "nobody"},
        {"branch_code": "\u0007"},
    ):
        assert schema_errors(body, {**good, **bad}), bad


def test_examples_of_bodies_and_answers_are_valid_by_their_own_schemas():
    wrong, shown = [], 0
    for path, name, operation in operations():
        for content in operation.get("requestBody", {}).get("content", {}).values():
            assert content["examples"], (path, name)
        parts = [operation["requestBody"]] if "requestBody" in operation else []
        parts += [resolve_reference(found) for found in operation["responses"].values()]
        for part in parts:
            for content in part.get("content", {}).values():
                for key, example in content.get("examples", {}).items():
                    shown += 1
                    found = schema_errors(content["schema"], example["value"])
                    wrong += [f"{name} {path} {key}: {fault}" for fault in found]
    assert wrong == []
    assert shown > 400


def test_every_success_has_an_example_in_its_named_envelope():
    for path, method, operation in in_the_envelope():
        for status in operation["responses"]:
            found = documented_response(method, path, status)
            assert "X-Request-ID" in found["headers"]
            schema = body_schema(found)
            if int(status) >= 300:
                assert schema == {"$ref": "#/components/schemas/Failure"}
                assert "X-Error-Code" in found["headers"]
                continue
            assert schema["$ref"].endswith("Response"), (path, method)
            envelope = resolve_reference(schema)
            assert envelope["required"] == ["status", "message", "data"]
            assert envelope["properties"]["status"]["const"] == "success"
            assert "X-RateLimit-Remaining" in found["headers"]
            example = found["content"]["application/json"]["examples"]["success"]["value"]
            assert list(example) == list(envelope["properties"])


def test_files_have_a_type_and_a_name():
    files = {
        operation["operationId"]: list(operation["responses"]["200"]["content"])
        for _, _, operation in operations()
        if "Content-Disposition" in operation["responses"].get("200", {}).get("headers", {})
    }
    assert files == {
        "statements_retrieve": ["application/json", "text/csv", "application/pdf"],
        "member_statements_retrieve": ["application/json", "text/csv", "application/pdf"],
        "contract_notes_retrieve": ["application/pdf"],
        "tax_summaries_retrieve": ["application/json", "text/csv"],
    }


def test_a_429_and_a_503_say_when_to_try_again():
    for path, method, operation in operations():
        for status in ("429", "503"):
            headers = resolve_reference(operation["responses"][status])["headers"]
            after = resolve_reference(headers["Retry-After"])
            assert after["schema"] == {"type": "integer", "minimum": 0}, (path, method)


def test_lists_of_orders_have_meta():
    with_meta = {
        operation["operationId"]
        for path, method, operation in in_the_envelope()
        for status in operation["responses"]
        if status < "300"
        and "meta"
        in resolve_reference(body_schema(documented_response(method, path, status)))["properties"]
    }
    assert with_meta == {"orders_list", "token_orders_list"}


def test_parameters_take_the_forms_that_the_interface_writes():
    def enum(path: str, name: str) -> list[str]:
        parameters = {p["name"]: p for p in document()["paths"][path]["get"]["parameters"]}
        return allowed_values(parameters[name]["schema"])

    assert enum("/v1/orders/token/{token_id}", "type") == ["Buy", "Sell", "buy", "sell"]
    for path in ("/v1/api/tokens", "/v1/api/token/search"):
        assert {"SAFE", "safe", "the service", "Debt", "debt", "fixed interest"} <= set(
            enum(path, "investment_type")
        )


def test_every_type_of_event_has_a_webhook_whose_example_is_valid():
    assert set(webhooks()) == set(settings.EVENT_TYPES)
    declared = {tag["name"] for tag in document()["tags"]}
    for event_type, told in webhooks().items():
        body = told["post"]["requestBody"]
        schema = resolve_reference(body_schema(body))
        assert schema["properties"]["type"]["const"] == event_type
        assert set(told["post"]["tags"]) <= declared
        [example] = body["content"]["application/json"]["examples"].values()
        assert schema_errors(schema, example["value"]) == [], event_type
        assert {p["name"] for p in told["post"]["parameters"]} == {
            "webhook-id", "webhook-timestamp", "webhook-signature",
        }  # fmt: skip


def test_creating_a_member_takes_an_idempotency_key_and_lists_take_page_limit_and_sort():
    members = document()["paths"]["/v1/api/members"]
    posted = {p["name"]: p for p in members["post"]["parameters"]}
    assert posted["Idempotency-Key"]["in"] == "header"
    assert posted["Idempotency-Key"]["schema"]["maxLength"] == 255
    assert set(members["post"]["responses"]) >= {"201", "400", "401", "403", "409", "413", "422"}
    listed = {p["name"] for p in members["get"]["parameters"]}
    assert listed >= {"page", "limit", "sort", "email", "external_id"}


@pytest.mark.django_db
def test_an_answer_has_exactly_the_fields_that_the_schema_declares():
    caller = make_caller()
    member = make_member(caller.organisation)
    data = caller.get(f"/v1/api/members/{member.id}").json()["data"]
    declared = resolve_reference(data_properties("get", "/v1/api/members/{member_id}")["data"])
    assert list(data) == list(declared["properties"]) == declared["required"]


def test_schema_and_documentation_are_served_without_credentials_or_other_hosts():
    client = Client()
    served = client.get("/v1/schema")
    assert served.status_code == 200
    assert served.json()["info"]["title"] == "Tokenized Investment Exchange"
    page = client.get("/v1/docs")
    text = page.content.decode()
    assert page.status_code == 200
    assert not re.search(r"https?://", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)", text), "an inline script needs a laxer policy"
    script = client.get("/v1/docs?script=")
    assert script["Content-Type"] == "application/javascript"
    assert b"/v1/schema" in script.content
