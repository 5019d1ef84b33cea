"""Of every operation: no cache keeps a response, and none has a comment of staff in it."""

from http import HTTPStatus

import pytest
from django.test import Client

from exchange.comments.services import add_comment
from exchange.participants.models import Member
from tests.assertions.endpoints import api_endpoints
from tests.environment.services import Sandbox
from tests.factories.api_clients import make_caller
from tests.factories.api_records import ApiRecords, make_api_records
from tests.factories.wallets import make_staff
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


@pytest.fixture
def api_records(bank_lists: None, provider_sandbox: Sandbox) -> ApiRecords:
    return make_api_records()


def test_every_operation_forbids_caches_and_tells_no_comment_of_staff(api_records):
    person = make_staff("add_comment", "view_organisation", "view_member", "view_withdrawal")
    subjects = (
        api_records.caller.organisation,
        Member.objects.get(pk=api_records.ids["member_id"]),
        Withdrawal.objects.get(pk=api_records.ids["withdrawal_id"]),
    )
    for subject in subjects:
        add_comment(subject=subject, text="Suspicious, ask compliance", user=person)
    stranger = make_caller(["members:read"])
    kept: list[str] = []
    told: list[str] = []
    statuses: set[int] = set()
    for endpoint in api_endpoints():
        path = api_records.address(endpoint.path)
        for caller in (api_records.caller, stranger):
            response = caller.call(endpoint.method, path)
            statuses.add(response.status_code)
            if response.headers.get("Cache-Control") != "no-store":
                kept.append(f"{endpoint.method} {path}: {response.status_code}")
            if b"Suspicious" in response.content:
                told.append(f"{endpoint.method} {path}")
    assert (kept, told) == ([], [])
    assert statuses >= {HTTPStatus.OK, HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN}


def test_answers_from_outside_of_views_and_every_page_forbid_it_too(client, settings):
    caller = make_caller()
    long = b"x" * (settings.API_BODY_LIMIT_BYTES + 1)
    answers = [
        (HTTPStatus.NOT_FOUND, caller.get("/v1/nope")),
        (HTTPStatus.NOT_FOUND, client.get("/nope")),
        (HTTPStatus.NOT_FOUND, client.get("/static/nope.css")),
        (HTTPStatus.METHOD_NOT_ALLOWED, caller.call("PUT", "/v1/api/members")),
        (HTTPStatus.METHOD_NOT_ALLOWED, client.post("/v1/schema")),
        (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, caller.post("/v1/api/members", long)),
        (
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            client.post("/v1/api/members", "x", "text/plain", headers=caller.headers),
        ),
        (HTTPStatus.FORBIDDEN, Client(enforce_csrf_checks=True).post("/admin/login/")),
        (HTTPStatus.UNAUTHORIZED, client.post("/v1/oauth/token", {"grant_type": "x"})),
        (HTTPStatus.UNAUTHORIZED, client.post("/hooks/flutterwave")),
        (HTTPStatus.OK, client.get("/")),
        (HTTPStatus.OK, client.get("/health/live")),
        (HTTPStatus.OK, client.get("/admin/login/")),
        (HTTPStatus.FOUND, client.get("/admin/")),
    ]
    kept = [
        (status, answer.request["PATH_INFO"], answer.status_code)
        for status, answer in answers
        if answer.status_code != status or "no-store" not in answer.headers["Cache-Control"]
    ]
    assert kept == []
