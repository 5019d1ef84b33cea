"""Every parameter of the API that takes a day or a time, with days at the edges of the calendar."""

from typing import Any

import pytest

from tests.assertions.endpoints import Endpoint, api_endpoints
from tests.environment.services import Sandbox
from tests.factories.api_clients import assert_error
from tests.factories.api_records import ApiRecords, make_api_records

pytestmark = pytest.mark.django_db

# The first: where a day, a time zone or a millisecond more leaves the calendar.
DAYS = [
    *("0001-01-01", "0001-01-01T00:00:00+14:00", "1969-12-31", "9999-12-31"),
    *("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-14:00"),
    *("1970-01-01", "1970-01-01T00:59:59.999Z", "1971-01-01", "9998-12-31"),
    *("10000-01-01", "0000-00-00", "2026-02-29", "garbage"),
]
STATEMENT = "/v1/api/wallet/statement"


@pytest.fixture
def api_records(bank_lists: None, provider_sandbox: Sandbox) -> ApiRecords:
    return make_api_records()


def dated(endpoint: Endpoint) -> list[str]:
    """Return the parameters of an endpoint that take a day or a time."""
    if endpoint.method != "GET":
        return []
    ends = ("from", "to", "at", "on", "day", "date")
    return [name for name in endpoint.known_parameters if name.rpartition("_")[2] in ends]


@pytest.mark.slow
def test_every_day_gets_an_answer(api_records):
    tried, faults = 0, []
    for endpoint in api_endpoints():
        path = api_records.address(endpoint.path)
        for name in dated(endpoint):
            for day in DAYS:
                tried += 1
                response = api_records.caller.get(path, {name: day})
                if response.status_code >= 500:
                    faults.append((path, name, day, response.status_code))
    assert faults == []
    assert tried > 300


@pytest.mark.parametrize("form", ["json", "csv", "pdf"])
@pytest.mark.one_in(3)
def test_a_statement_begins_in_1970_at_the_earliest(api_records, form):
    def ask(first: str, last: str) -> Any:
        query = {"currency": "KES", "from": first, "to": last, "format": form}
        return api_records.caller.get(STATEMENT, query)

    for first, last in (
        ("1970-01-01", "1970-12-31"),
        ("1970-01-01T00:00:00Z", "1970-01-01T01:00:00Z"),
        ("1971-01-01", "1971-01-01"),
    ):
        found = ask(first, last)
        assert found.status_code == 200, (first, found.content)
        if form == "json":
            assert found.json()["data"]["movements"] == []
    for first, last in (("0001-01-01", "0001-12-31"), ("1969-12-31", "1970-01-02")):
        message = "from must not be before 1970-01-01"
        assert_error(ask(first, last), 400, "invalid_request", message)
    for first in ("9998-12-31", "9999-12-31"):
        message = "from must not be in the future"
        assert_error(ask(first, "9999-12-31"), 400, "invalid_request", message)
