"""Query parameters of every address under /v1, found in the URL configuration.

A new list is held to these rules by being there.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest

from exchange.core.timestamps import wire_time
from exchange.tokens.models import Token
from orders.book.models import Order
from tests.assertions.endpoints import Endpoint, api_endpoints
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.api_records import ApiRecords, make_api_records

pytestmark = pytest.mark.django_db

LISTS = {
    "/v1/api/tokens",
    "/v1/api/token/search",
    "/v1/api/members",
    "/v1/api/events",
    "/v1/api/wallet/transactions",
    "/v1/api/wallet/tokens",
    "/v1/api/members/<str:member_id>/wallet/transactions",
    "/v1/api/members/<str:member_id>/tokens",
    "/v1/api/withdrawals",
    "/v1/api/transfers",
    "/v1/api/conversions",
    "/v1/api/deposits",
    "/v1/api/credit/loans",
    "/v1/api/distributions",
    "/v1/api/distributions/<str:distribution_id>/payments",
    "/v1/api/income",
    "/v1/api/movements",
    "/v1/api/tickers",
    "/v1/api/requests",
    "/v1/api/requests/reads",
    "/v1/api/balances",
    "/v1/api/virtual-accounts",
    "/v1/api/token/<str:token_id>/holders",
    "/v1/orders",
    "/v1/orders/fills",
    "/v1/orders/<str:order_id>/fills",
    "/v1/orders/token/<str:token_id>",
    "/v1/orders/token/<str:token_id>/trades",
}


@pytest.fixture
def api_records(bank_lists: None) -> ApiRecords:
    return make_api_records()


def reads() -> list[Endpoint]:
    return [address for address in api_endpoints() if address.method == "GET"]


def lists() -> list[Endpoint]:
    return [address for address in reads() if address.plural]


def date_of(record: dict[str, Any], kind: str) -> str | None:
    return record.get(f"{kind}At") or record.get(f"{kind}_at")


def moved(text: str, milliseconds: int) -> str:
    return wire_time(datetime.fromisoformat(text) + timedelta(milliseconds=milliseconds))


def test_the_lists_are_those_that_are_known_here():
    assert {address.path for address in lists()} == LISTS
    assert len(reads()) > len(LISTS)


def test_every_address_refuses_unknown_parameters_and_names_the_nearest(api_records: ApiRecords):
    for read in reads():
        path, known = api_records.address(read.path), read.known_parameters
        for name in known:
            # Nothing is near a name of two letters but the name itself.
            wrong = name[:-1] + ("qq" if len(name) > 2 else name[-1] * 2)
            message = f"Unknown parameter: {wrong} (did you mean {name}?)"
            assert_error(
                api_records.caller.get(path, {wrong: "1"}), 400, "invalid_request", message
            )
            message = f"Unknown parameter: {name.upper()} (did you mean {name}?)"
            assert_error(
                api_records.caller.get(path, {name.upper(): "1"}), 400, "invalid_request", message
            )
        advice = f"known are {', '.join(known)}" if known else "this address takes none"
        message = f"Unknown parameter: 0 ({advice})"
        assert_error(api_records.caller.get(path, {"0": "x"}), 400, "invalid_request", message)


@pytest.mark.slow
def test_every_address_refuses_empty_and_repeated_parameters_by_name(api_records: ApiRecords):
    for read in reads():
        path = api_records.address(read.path)
        for name in read.known_parameters:
            for nothing in ("", "=", "=%20", "=+%09"):
                response = api_records.caller.get(f"{path}?{name}{nothing}")
                assert_error(response, 400, "invalid_request", f"{name} must not be empty")
            response = api_records.caller.get(f"{path}?{name}=1&{name}=1")
            assert_error(response, 400, "invalid_request", f"{name} must be given once")


def test_head_checks_its_parameters_as_get_does(api_records: ApiRecords):
    assert api_records.caller.call("HEAD", "/v1/api/members?limit=1").status_code == 200
    for query in ("x=1", "limit=", "limit=1&limit=1"):
        refused = api_records.caller.call("HEAD", f"/v1/api/members?{query}")
        assert (refused.status_code, refused["X-Error-Code"]) == (400, "invalid_request"), query


@pytest.mark.slow
def test_every_list_of_dated_records_finds_each_at_its_own_printed_time(api_records: ApiRecords):
    for found_at in lists():
        route, known = found_at.path, found_at.known_parameters
        found = api_records.records(found_at)
        assert found, route
        for kind in ("created", "updated"):
            first, last = f"{kind}_from", f"{kind}_to"
            dated = [record for record in found if date_of(record, kind)]
            assert (first in known, last in known) == (bool(dated), bool(dated)), route
            for record in dated:
                time = date_of(record, kind)
                assert time
                assert record in api_records.records(found_at, **{first: time, last: time}), route
                assert record not in api_records.records(found_at, **{first: moved(time, 1)}), route
                assert record not in api_records.records(found_at, **{last: moved(time, -1)}), route
                day = time[:10]
                assert record in api_records.records(found_at, **{first: day, last: day}), route


@pytest.mark.slow
def test_every_list_sorts_by_names_of_its_records(api_records: ApiRecords):
    for found_at in lists():
        route, view = found_at.path, found_at.viewset
        record = api_records.records(found_at)[0]
        assert set(view.sort_fields) <= set(record), route
        assert view.default_sort.removeprefix("-") in view.sort_fields
        for name in view.sort_fields:
            for sign in ("", "-"):
                values = [r[name] for r in api_records.records(found_at, sort=sign + name)]
                if name != "name" and None not in values:
                    assert values == sorted(values, reverse=sign == "-"), (route, sign, name)


def test_every_filter_is_described():
    for found_at in lists():
        route = found_at.path
        filters = getattr(found_at.viewset.filterset_class, "base_filters", {})
        for name, one in filters.items():
            assert one.extra.get("help_text"), (route, name)


def test_methods_that_change_read_no_query_parameters(api_records: ApiRecords):
    token = api_records.ids["token_id"]
    body = {"token_id": token, "type": "Buy", "price": 99, "tokens": 1}
    made = api_records.caller.post("/v1/orders?tokens=7&x=1", body)
    assert made.status_code == 201, made.content
    assert Order.objects.latest("seq").tokens == 1


def test_what_a_list_of_tokens_found_by_the_time_of_a_change_is_not_remembered(
    api_records: ApiRecords,
):
    """A trade changes a token without changing what other questions find."""
    path, order = "/v1/api/tokens", {"sort": "-updatedAt"}
    newest, *_, oldest = api_records.caller.get(path, order).json()["data"]["tokens"]
    since = moved(newest["updatedAt"], 1)
    queries = [{"updated_from": since}, {"updated_from": since, "sort": "updatedAt", "page": "1"}]
    for query in queries:
        assert api_records.caller.get(path, query).json()["data"]["total"] == 0
    Token.objects.filter(id=oldest["_id"]).update(vol_buy=77)
    for query in queries:
        found = api_records.caller.get(path, query).json()["data"]["tokens"]
        assert [token["_id"] for token in found] == [oldest["_id"]]
    first = api_records.caller.get(path, order).json()["data"]["tokens"][0]
    assert first["_id"] == oldest["_id"]


@pytest.mark.parametrize(
    ("path", "name", "length"),
    [
        ("/v1/api/members", "email", 254),
        ("/v1/api/members", "external_id", 100),
        ("/v1/api/deposits", "reference", 100),
        ("/v1/api/deposits", "provider_reference", 100),
        ("/v1/api/withdrawals", "reference", 40),
        ("/v1/orders", "client_order_id", 64),
    ],
)
def test_a_text_has_at_most_the_length_of_what_it_is_compared_with(path, name, length):
    caller = make_caller()
    assert caller.get(path, {name: "x" * length}).status_code == 200
    assert_error(caller.get(path, {name: "x" * (length + 1)}), 400, "invalid_request")
