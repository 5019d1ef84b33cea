"""What the request log keeps of a request, and for whom."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.urls import ResolverMatch
from django.utils import timezone

from exchange.core.ids import first_id_at, parse_id, uuid7
from exchange.core.metrics import REQUEST_LOG_DROPPED
from exchange.participants.models import ApiKey
from exchange.requests.middleware import fill_template, to_template
from exchange.requests.models import LoggedRequest, ReadCount
from exchange.requests.recording import REQUEST_LOG, ReadKey, RequestLog
from exchange.requests.services import purge_requests
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_member
from tests.factories.request_log import make_entry

pytestmark = pytest.mark.django_db

PATH = "/v1/api/requests"
MEMBERS = "/v1/api/members"
FIELDS = [
    *("_id", "method", "path", "status", "code", "fields", "request_id", "key"),
    *("milliseconds", "createdAt"),
]


@pytest.fixture(autouse=True)
def enabled(settings: Any, db: None) -> Iterator[None]:
    settings.REQUEST_LOG_ENABLED = True
    yield
    REQUEST_LOG.flush()  # into the transaction that is rolled back


def read(caller: ApiCaller, path: str = PATH, **query: Any) -> list[dict[str, Any]]:
    """Return what is logged of the caller, by cursor, two at a time."""
    REQUEST_LOG.flush()
    plural = path.rpartition("/")[2]
    query = {"use_cursor": "true", "limit": 2, **query}
    found: list[dict[str, Any]] = []
    while query.get("cursor", "") is not None:
        response = caller.get(path, query)
        assert response.status_code == 200, response.content
        found += response.json()["data"][plural]
        query["cursor"] = response.json()["data"]["next_cursor"]
    return found


def test_a_refused_request_names_its_code_and_fields_and_no_value():
    caller = make_caller()
    body = {"name": "", "email": "not-an-address", "tax_residence": "Atlantis", "else": "secret-7"}
    response = caller.post(MEMBERS, body, X_Request_ID="order.17")
    assert response.status_code == 400
    caller.get(MEMBERS, {"created_from": "last-tuesday"})
    [of_query, of_body] = read(caller)
    assert list(of_body) == FIELDS
    assert (of_body["method"], of_body["path"], of_body["status"]) == ("POST", MEMBERS, 400)
    assert (of_body["code"], of_body["request_id"]) == ("invalid_request", "order.17")
    assert of_body["fields"] == ["name", "email", "tax_residence"]
    assert of_body["key"] == str(caller.key.id)
    assert 0 <= of_body["milliseconds"] < 60_000
    assert (of_query["method"], of_query["fields"]) == ("GET", ["created_from"])
    stored = str(list(LoggedRequest.objects.values()))
    for value in ("not-an-address", "Atlantis", "secret-7", "last-tuesday", caller.token):
        assert value not in stored, value


def test_requests_for_tokens_are_logged_without_the_secret_or_the_token(client):
    caller = make_caller()
    answer = client.post(
        "/v1/oauth/token",
        {
            "grant_type": "client_credentials",
            "client_id": caller.key.client_id,
            "client_secret": caller.secret,
        },
    )
    assert answer.status_code == 200
    [logged] = read(caller)
    assert [logged[name] for name in ("method", "path", "status", "key")] == [
        "POST",
        "/v1/oauth/token",
        200,
        str(caller.key.id),
    ]
    stored = str(list(LoggedRequest.objects.values()))
    assert caller.secret not in stored
    assert answer.json()["access_token"] not in stored


def test_keys_of_metadata_are_a_text_of_the_client_and_not_kept():
    caller = make_caller()
    metadata = {"Jane": 1, "Doe": 2}
    refused = caller.post("/v1/api/transfers", {"amount": "x", "metadata": metadata})
    assert refused.status_code == 400
    assert "metadata.Jane" in refused.json()["message"]
    [logged] = read(caller)
    assert logged["fields"] == ["from", "to", "amount", "currency", "metadata"]


def test_writes_are_logged_with_ids_and_a_text_of_the_client_is_not():
    caller = make_caller()
    member = caller.post(MEMBERS, {"name": "Ada", "email": "a@b.example"}).json()["data"]["_id"]
    path = f"{MEMBERS}/{member}"
    headers = {"Idempotency_Key": "once"}
    for _ in range(2):
        changed = caller.patch(path, {"name": "Eve"}, **headers)
        assert changed.status_code == 200
    missing = str(uuid7())
    for address in (
        f"/v1/orders/{missing}",
        "/v1/orders/x'y",
        "/v1/orders/by-client-id/Jane%20Doe",
    ):
        assert caller.get(address).status_code == 404
    logged = [(each["method"], each["path"], each["status"], each["code"]) for each in read(caller)]
    assert logged == [
        ("GET", "/v1/orders/by-client-id/{client_order_id}", 404, "order_not_found"),
        ("GET", "/v1/orders/{order_id}", 404, "order_not_found"),
        ("GET", f"/v1/orders/{missing}", 404, "order_not_found"),
        ("PATCH", path, 200, None),
        ("PATCH", path, 200, None),
        ("POST", MEMBERS, 201, None),
    ]


def test_successful_reads_are_counted_by_key_address_and_hour():
    first = make_caller()
    second = make_caller(organisation=first.organisation)
    member = make_member(first.organisation)
    for caller in (first, first, second):
        assert caller.get(f"{MEMBERS}/{member.id}").status_code == 200
    assert first.get(MEMBERS, {"limit": 1}).status_code == 200
    REQUEST_LOG.flush()
    assert first.get(f"{MEMBERS}/{member.id}").status_code == 200
    tag = first.get(MEMBERS)["ETag"]
    assert first.get(MEMBERS, If_None_Match=tag).status_code == 304
    reads = read(first, f"{PATH}/reads")
    assert list(reads[0]) == ["key", "path", "count", "hour_at"]
    counts = {(each["key"], each["path"]): each["count"] for each in reads}
    assert counts == {
        (str(first.key.id), MEMBERS + "/{member_id}"): 3,
        (str(first.key.id), MEMBERS): 3,
        (str(second.key.id), MEMBERS + "/{member_id}"): 1,
    }
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    assert datetime.fromisoformat(reads[0]["hour_at"]) in (hour, hour - timedelta(hours=1))
    of_second = read(first, f"{PATH}/reads", key_id=str(second.key.id))
    assert [each["count"] for each in of_second] == [1]
    assert read(first, f"{PATH}/reads", hour_to="2020-01-01") == []
    assert read(first, f"{PATH}/reads", hour_from="2020-01-01") != []
    assert not LoggedRequest.objects.exists()


def test_an_organisation_sees_its_own_requests_only_also_those_of_a_refused_key():
    caller, other = make_caller(), make_caller()
    expired = make_caller(organisation=caller.organisation)
    ApiKey.objects.filter(pk=expired.key.pk).update(expires_at=timezone.now() - timedelta(hours=1))
    assert expired.get(MEMBERS).status_code == 401
    for header in ("Bearer unknown", "Bearer \x7f", "Basic x", ""):
        assert caller.client.get(MEMBERS, headers={"Authorization": header}).status_code == 401
    assert caller.client.post("/v1/oauth/token").status_code == 401
    assert caller.get("/v1/no/such/address").status_code == 404
    [refused] = read(caller)
    assert (refused["code"], refused["key"]) == ("invalid_token", str(expired.key.id))
    assert read(other) == []
    assert read(other, f"{PATH}/reads") != []  # its own, just now
    assert ReadCount.objects.filter(organisation=other.organisation).exists()
    assert LoggedRequest.objects.count() == 1


def test_requests_are_filtered_and_bad_filters_refused():
    caller = make_caller()
    second = make_caller(["members:read"], organisation=caller.organisation)
    caller.post(MEMBERS, {}, X_Request_ID="one")
    second.post(MEMBERS, {}, X_Request_ID="two")
    second.get("/v1/orders", X_Request_ID="three")
    assert [each["request_id"] for each in read(caller)] == ["three", "two", "one"]
    for query, wanted in (
        ({"key_id": str(second.key.id)}, ["three", "two"]),
        ({"code": "insufficient_scope"}, ["three", "two"]),
        ({"code": "insufficient"}, []),
        ({"method": "post"}, ["two", "one"]),
        ({"request_id": "two"}, ["two"]),
        ({"sort": "createdAt"}, ["one", "two", "three"]),
        ({"created_to": "2020-01-01"}, []),
    ):
        assert [each["request_id"] for each in read(caller, **query)] == wanted, query
    for query in (
        {"method": "TRACE"},
        {"created_from": "soon"},
        {"status": "400"},
        {"sort": "path"},
    ):
        assert caller.get(PATH, query).status_code == 400, query
    refused = second.get(PATH)
    assert_error(refused, 403, "insufficient_scope", "This needs the scope webhooks:manage")


def dropped() -> float:
    [family] = REQUEST_LOG_DROPPED.collect()
    return sum(sample.value for sample in family.samples if sample.name.endswith("_total"))


def test_a_burst_beyond_the_memory_is_dropped_and_counted():
    caller, log, before = make_caller(), RequestLog(capacity=3), dropped()
    for number in range(5):
        log.add_request(make_entry(caller.key, request_id=str(number)))
        hour = datetime(2026, 1, 1, number, tzinfo=UTC)
        for _ in range(2):
            log.count_read(ReadKey(str(caller.organisation.id), str(caller.key.id), MEMBERS, hour))
    assert dropped() - before == 2 + 4
    log.flush()
    log.flush()
    kept = LoggedRequest.objects.order_by("id").values_list("request_id", flat=True)
    assert list(kept) == ["0", "1", "2"]
    assert list(ReadCount.objects.values_list("count", flat=True)) == [2, 2, 2]
    log.add_request(make_entry(caller.key))
    log.flush()
    assert LoggedRequest.objects.count() == 4


def test_what_is_older_than_its_days_is_not_shown_and_removed():
    caller, log = make_caller(), RequestLog()
    now = timezone.now()
    for days in (29, 31):
        at = now - timedelta(days=days)
        identifier = type(uuid7())(int=first_id_at(at).int + days)
        log.add_request(make_entry(caller.key, id=identifier, created_at=at, request_id=str(days)))
        log.count_read(ReadKey(str(caller.organisation.id), str(caller.key.id), f"/v1/{days}", at))
    log.flush()
    assert [each["request_id"] for each in read(caller)] == ["29"]
    reads = [each["path"] for each in read(caller, f"{PATH}/reads")]
    assert "/v1/29" in reads
    assert "/v1/31" not in reads
    assert purge_requests() == 2
    assert list(LoggedRequest.objects.values_list("request_id", flat=True)) == ["29"]
    assert not ReadCount.objects.filter(path="/v1/31").exists()


def test_the_service_cannot_change_what_is_logged():
    with (
        pytest.raises(DatabaseError, match="permission denied"),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE exchange_loggedrequest SET code = ''")


def test_nothing_is_logged_when_it_is_off_or_outside_the_api(settings: Any):
    caller = make_caller()
    caller.client.get("/admin/login/")
    settings.REQUEST_LOG_ENABLED = False
    caller.post(MEMBERS, {})
    REQUEST_LOG.flush()
    assert not LoggedRequest.objects.exists()
    assert not ReadCount.objects.exists()


@pytest.mark.parametrize(
    "text",
    [
        "0197d36b-8c11-7b21-8a5e-1f2e3d4c5b6a", "0197D36B-8C11-7B21-8A5E-1F2E3D4C5B6A",
        "0197d36b8c117b218a5e1f2e3d4c5b6a", "{0197d36b-8c11-7b21-8a5e-1f2e3d4c5b6a}",
        "0197d36b-8c11-7b21-8a5e-1f2e3d4c5b6", "0197d36b-8c11-7b21-8a5e-1f2e3d4c5b6a\n",
        "0197d36b-8c117-b21-8a5e-1f2e3d4c5b6a", "0197d36b-8c11-7b21-8a5e-1f2e3d4c5b6g",
        "\u0660197d36b-8c11-7b21-8a5e-1f2e3d4c5b6a", "order 17", "",
    ],
)  # fmt: skip
def test_a_path_has_what_is_the_id_of_a_record_and_nothing_else(text: str):
    match = ResolverMatch(lambda: None, (), {"order_id": text}, route="v1/orders/<str:order_id>")
    found = parse_id(text)
    shown = str(found) if found else "{order_id}"
    assert fill_template(to_template(match.route), match) == f"/v1/orders/{shown}"
