"""The OpenAPI document is valid, true, complete and served offline."""

from __future__ import annotations

import io
import json
import re

import pytest
from django.core.management import call_command
from django.test import Client

from exchange.payloads import MEMBER
from tests.support.access import make_caller, make_member

pytestmark = pytest.mark.urls("tests.support.api_urls")


@pytest.fixture(scope="module")
def schema():
    out = io.StringIO()
    call_command(
        "spectacular",
        urlconf="tests.support.api_urls",
        format="openapi-json",
        validate=True,
        fail_on_warn=True,
        stdout=out,
    )
    return json.loads(out.getvalue())


def operations(schema):
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_schema_is_valid_without_warnings_and_has_every_address(schema):
    assert schema["openapi"].startswith("3.1")
    assert {
        "/v1/oauth/token",
        "/v1/oauth/revoke",
        "/v1/api/members",
        "/v1/api/members/{member_id}",
    } <= set(schema["paths"])


def test_successes_are_described_in_the_envelope_and_failures_by_their_own_shape(schema):
    for path, method, operation in operations(schema):
        if path.startswith("/v1/oauth"):
            continue
        for status, answer in operation["responses"].items():
            shape = answer["content"]["application/json"]["schema"]
            assert "X-Request-ID" in answer["headers"]
            if int(status) < 300:
                assert shape["required"] == ["status", "message", "data"], (path, method)
                assert shape["properties"]["status"]["const"] == "success"
                assert "X-RateLimit-Remaining" in answer["headers"]
            else:
                assert shape == {"$ref": "#/components/schemas/Failure"}
                assert "X-Error-Code" in answer["headers"]


def test_every_operation_names_its_scope_and_says_what_it_does(schema):
    names = set()
    for path, _, operation in operations(schema):
        names.add(operation["operationId"])
        assert operation["summary"]
        if not path.startswith("/v1/oauth"):
            assert [list(way) for way in operation["security"]] == [["oauth2"], ["bearer"]]
            assert len(operation["security"][0]["oauth2"]) == 1
    assert len(names) == len(list(operations(schema)))
    ways = schema["components"]["securitySchemes"]
    assert ways["oauth2"]["flows"]["clientCredentials"]["tokenUrl"] == "/v1/oauth/token"
    assert ways["bearer"] == {"type": "http", "scheme": "bearer"}


def test_creating_a_member_takes_an_idempotency_key_and_lists_take_page_limit_and_sort(schema):
    members = schema["paths"]["/v1/api/members"]
    posted = {p["name"]: p for p in members["post"]["parameters"]}
    assert posted["Idempotency-Key"]["in"] == "header"
    assert posted["Idempotency-Key"]["schema"]["maxLength"] == 255
    assert set(members["post"]["responses"]) >= {"201", "400", "401", "403", "409", "413", "422"}
    listed = {p["name"] for p in members["get"]["parameters"]}
    assert listed == {"page", "limit", "sort", "email", "external_id"}


@pytest.mark.django_db
def test_an_answer_has_exactly_the_fields_that_the_schema_declares(schema):
    caller = make_caller()
    member = make_member(caller.organisation)
    data = caller.get(f"/v1/api/members/{member.id}").json()["data"]
    declared = schema["components"]["schemas"]["Member"]
    assert list(data) == list(declared["properties"]) == declared["required"]
    assert declared == MEMBER.schema()


@pytest.mark.django_db
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
