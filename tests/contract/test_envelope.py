"""Every answer under /v1 is the envelope, and every failure names itself."""

import json
import re

import pytest

from exchange.core import errors
from exchange.participants.models import Member
from tests.factories.api_clients import assert_error, make_caller, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]


def test_a_success_has_status_message_and_data_and_nothing_else():
    caller = make_caller()
    member = make_member(caller.organisation, "Ada Obi", email="ada@example.com")
    response = caller.get(f"/v1/api/members/{member.id}")
    assert response.status_code == 200
    body = response.json()
    assert list(body) == ["status", "message", "data"]
    assert body["status"] == "success"
    assert list(body["data"]) == [
        "_id",
        "name",
        "email",
        "external_id",
        "status",
        "verification",
        "holder_kind",
        "tax_residence",
        "tax_id",
        "createdAt",
        "updatedAt",
        "freezes",
        "debts",
    ]
    assert body["data"]["_id"] == str(member.id)
    assert body["data"]["external_id"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", body["data"]["createdAt"])


@pytest.mark.parametrize(
    ("kind", "status", "code", "message"),
    [
        ("refused", 400, "because", "No"),
        ("invalid", 400, "invalid_request", "Bad"),
        ("forbidden", 403, "forbidden", "Not yours"),
        ("missing", 404, "thing_not_found", "Thing not found"),
        ("conflict", 409, "conflict", "Too late"),
        ("running", 409, "request_in_progress", errors.RequestInProgress().message),
        ("reused", 422, "idempotency_key_reused", errors.IdempotencyKeyReused().message),
        ("provider", 502, "provider_unavailable", "Provider down"),
        ("unready", 503, "not_ready", "Not yet"),
    ],
)
def test_each_kind_of_domain_error_has_its_status_and_code(kind, status, code, message):
    assert_error(make_caller().get(f"/v1/test/{kind}"), status, code, message)


@pytest.mark.parametrize("path", ["/v1/test/fault", "/v1/test/float"])
def test_a_fault_of_ours_is_a_500_that_leaks_nothing(path):
    message = assert_error(make_caller().get(path), 500, "internal_error")
    assert message == "Something went wrong on our side"


@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_answer_is_a_503():
    response = make_caller().get("/v1/test/database")
    assert_error(response, 503, "not_ready")
    assert response["Retry-After"] == "1"


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/", "/v1/nope", "/v1/api/members/", "/v1/%00", "/v1/api/%ff%fe", "/v1//api"]
)
def test_an_unknown_address_is_a_404_in_the_envelope(path):
    assert_error(make_caller().get(path), 404, "not_found", "There is nothing at this address")


@pytest.mark.parametrize(
    "text", ["abc", "%00", "01890000-0000-7000-8000-000000000000", "%F0%9F%98%80"]
)
def test_a_path_id_that_is_not_one_is_not_found(text):
    assert_error(
        make_caller().get(f"/v1/api/members/{text}"), 404, "user_not_found", "User not found"
    )


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "FOO"])
def test_a_wrong_method_is_a_405_with_allow(method):
    response = make_caller().call(method, "/v1/api/members")
    assert_error(response, 405, "method_not_allowed", f"{method} is not allowed here")
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_options_names_the_methods_and_head_has_the_status_of_get():
    caller = make_caller()
    options = caller.call("OPTIONS", "/v1/api/members")
    assert options.status_code == 200
    assert options["Allow"] == "GET, POST, HEAD, OPTIONS"
    assert options.json()["data"] == {"methods": ["GET", "POST", "HEAD", "OPTIONS"]}
    head = caller.call("HEAD", "/v1/api/members")
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "*/*;q=0", "nonsense"])
def test_accept_headers_change_nothing(accept):
    response = make_caller().get("/v1/api/members", Accept=accept)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"


def test_a_sane_request_id_of_the_client_is_echoed_and_any_other_is_replaced():
    caller = make_caller()
    assert caller.get("/v1/api/members", X_Request_ID="my-id.7")["X-Request-ID"] == "my-id.7"
    for bad in ("", "a b", "x" * 129, "a\r\nb", "<script>"):
        given = caller.get("/v1/api/members", X_Request_ID=bad)["X-Request-ID"]
        assert re.fullmatch(r"[0-9a-f-]{36}", given)
    first = caller.get("/v1/nope")["X-Request-ID"]
    assert first != caller.get("/v1/nope")["X-Request-ID"]


def test_the_message_of_a_validation_failure_names_every_bad_field():
    message = assert_error(make_caller().post("/v1/api/members", {}), 400, "invalid_request")
    assert message == "name is required; email is required"
    wrong = {"name": 7, "email": "nobody", "external_id": 17}
    message = assert_error(make_caller().post("/v1/api/members", wrong), 400, "invalid_request")
    assert message == (
        "name must be a string; email must be an email address; external_id must be a string"
    )


def test_fields_of_the_server_sent_by_a_client_have_no_effect():
    caller = make_caller()
    other = make_caller()
    response = caller.post(
        "/v1/api/members",
        {
            "name": "Ada",
            "email": "ada@example.com",
            "_id": "x",
            "id": str(other.key.id),
            "organisation": str(other.organisation.id),
            "organisation_id": str(other.organisation.id),
            "createdAt": "1970-01-01T00:00:00.000Z",
        },
    )
    assert response.status_code == 201
    data = response.json()["data"]
    assert data["_id"] not in {"x", str(other.key.id)}
    assert not data["createdAt"].startswith("1970")
    assert other.get("/v1/api/members").json()["data"]["total"] == 0
    assert caller.get("/v1/api/members").json()["data"]["total"] == 1


def test_stored_documents_reach_the_client_byte_for_byte():
    caller = make_caller()
    member = make_member(caller.organisation)
    # As earlier versions stored it.
    Member.objects.update(name="Ngũgĩ “quoted” \\ / \u2028 😀")
    member.refresh_from_db()
    response = caller.get(f"/v1/api/members/{member.id}")
    stored = member.document.removesuffix("}")
    assert f'{stored},"freezes":[],"debts":[]}}'.encode() in response.content
    assert json.loads(member.document)["name"] == "Ngũgĩ “quoted” \\ / \u2028 😀"
