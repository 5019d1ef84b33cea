"""No cache keeps a response of the API: neither a success nor a refusal."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from tests.assertions.endpoints import api_endpoints
from tests.environment.services import Sandbox
from tests.factories.api_clients import make_caller
from tests.factories.api_records import ApiRecords, make_api_records

pytestmark = pytest.mark.django_db


@pytest.fixture
def api_records(bank_lists: None, provider_sandbox: Sandbox) -> ApiRecords:
    return make_api_records()


def test_every_operation_forbids_caches_to_keep_its_responses(api_records):
    stranger = make_caller(["members:read"])
    kept: list[str] = []
    statuses: set[int] = set()
    for endpoint in api_endpoints():
        path = api_records.address(endpoint.path)
        for caller in (api_records.caller, stranger):
            response = caller.call(endpoint.method, path)
            statuses.add(response.status_code)
            if response.headers.get("Cache-Control") != "no-store":
                kept.append(f"{endpoint.method} {path}: {response.status_code}")
    assert kept == []
    assert statuses >= {HTTPStatus.OK, HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN}
