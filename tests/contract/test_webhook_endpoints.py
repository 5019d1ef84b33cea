"""`/v1/api/webhook-endpoints`: several webhook endpoints of an organisation, through the API."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from exchange.core.ids import uuid7
from exchange.events.models import Event, EventDelivery, WebhookEndpoint
from exchange.events.services.outbox import emit
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import ApiCaller, assert_error, make_caller

pytestmark = pytest.mark.django_db

PATH = "/v1/api/webhook-endpoints"
URL = "http://127.0.0.1:9/hook"
FIELDS = [
    "_id", "url", "events", "description", "enabled", "disabled_reason", "first_failed_at",
    "failed_attempts", "previous_secret_expires_at", "createdAt", "updatedAt",
]  # fmt: skip


@pytest.fixture
def caller() -> ApiCaller:
    return make_caller(["webhooks:manage"])


def post(caller: ApiCaller, body: Any, path: str = PATH) -> Any:
    return caller.client.post(path, json.dumps(body), "application/json", headers=caller.headers)


def put(caller: ApiCaller, path: str, body: Any) -> Any:
    return caller.client.put(path, json.dumps(body), "application/json", headers=caller.headers)


def delete(caller: ApiCaller, path: str) -> Any:
    return caller.client.delete(path, headers=caller.headers)


def create(caller: ApiCaller, **values: Any) -> dict[str, Any]:
    response = post(caller, {"url": URL, **values})
    assert response.status_code == 201, response.content
    data: dict[str, Any] = response.json()["data"]
    return data


def happened(caller: ApiCaller, event_type: str = "withdrawal.created") -> UUID:
    return emit(
        organisation_id=caller.organisation.id,
        event_type=event_type,
        subject_id=uuid7(),
        data='{"amount":90.02}',
    )


def test_an_endpoint_is_created_read_changed_and_deleted(caller: ApiCaller) -> None:
    made = create(caller, events=["LOAN.created", "loan.created"], description="Loans")
    assert list(made) == [*FIELDS, "secret"]
    path = f"{PATH}/{made['_id']}"
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert made | {"events": ["loan.created"], "description": "Loans", "enabled": True} == made
    second = create(caller)
    assert second["events"] == ["*"]
    listed = caller.get(PATH)
    assert [each["_id"] for each in listed.json()["data"]] == [made["_id"], second["_id"]]
    assert b"whsec_" not in listed.content
    assert caller.get(path).json()["data"] == made
    changed = put(caller, path, {"url": URL, "enabled": False})
    assert changed.status_code == 200
    assert changed.json()["data"] | {
        "events": ["*"], "description": "", "enabled": False,
        "disabled_reason": "Switched off by the organisation",
    } == changed.json()["data"]  # fmt: skip
    rotated = caller.post(f"{path}/rotate-secret").json()["data"]
    assert list(rotated) == [*FIELDS, "secret"]
    assert rotated["secret"] != secret
    gone = delete(caller, path)
    assert (gone.status_code, gone.json()["message"]) == (200, "Webhook endpoint deleted")
    assert [each["_id"] for each in caller.get(PATH).json()["data"]] == [second["_id"]]


def test_foreign_unknown_and_malformed_ids_are_not_found(caller: ApiCaller) -> None:
    foreign = create(make_caller())["_id"]
    event = happened(caller)
    with assert_no_table_changes():
        for endpoint in (foreign, str(uuid4()), "x"):
            path = f"{PATH}/{endpoint}"
            for response in (
                caller.get(path),
                put(caller, path, {"url": URL}),
                delete(caller, path),
                caller.post(f"{path}/rotate-secret"),
                caller.post(f"{path}/test"),
                post(caller, {}, f"{path}/redeliver"),
                post(caller, {"endpoint_id": endpoint}, f"/v1/api/events/{event}/redeliver"),
            ):
                assert_error(response, 404, "webhook_not_found", "Webhook endpoint not found")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"events": ["withdrawal.complete"]},
            "events has no event type withdrawal.complete: did you mean withdrawal.completed?",
        ),
        ({"events": ["zzzz"]}, "events has no event type zzzz"),
        ({"events": [7]}, "events has no event type 7"),
        ({"events": []}, "events must be a list of event types"),
        ({"events": "*"}, "events must be a list of event types"),
        ({"events": None}, "events must not be null"),
        ({"enabled": "yes"}, "enabled must be true or false"),
        ({"url": "ftp://127.0.0.1"}, "url must"),
        ({"description": "x" * 201}, "description must have at most 200 characters"),
    ],
)
def test_a_rejected_endpoint_changes_nothing(
    caller: ApiCaller, values: dict[str, Any], message: str
) -> None:
    path = f"{PATH}/{create(caller)['_id']}"
    body = {"url": URL, **values}
    with assert_no_table_changes():
        for response in (post(caller, body), put(caller, path, body)):
            assert response.status_code == 400
            assert response.json()["message"].startswith(message)


def test_an_eleventh_endpoint_is_a_conflict(caller: ApiCaller) -> None:
    for _ in range(10):
        create(caller)
    with assert_no_table_changes():
        assert_error(
            post(caller, {"url": URL}),
            409,
            "too_many_endpoints",
            "An organisation has up to 10 webhook endpoints. Delete one and try again",
        )


def test_the_scope_is_required() -> None:
    caller = make_caller(["wallets:read"])
    path = f"{PATH}/{uuid4()}"
    with assert_no_table_changes():
        for response in (
            caller.get(PATH),
            post(caller, {"url": URL}),
            caller.get(path),
            put(caller, path, {"url": URL}),
            delete(caller, path),
            caller.post(f"{path}/rotate-secret"),
            caller.post(f"{path}/test"),
            post(caller, {}, f"{path}/redeliver"),
        ):
            assert response.status_code == 403


def test_an_event_lists_the_delivery_to_each_endpoint(caller: ApiCaller) -> None:
    first, second = create(caller)["_id"], create(caller)["_id"]
    event = happened(caller)
    EventDelivery.objects.filter(endpoint=second).update(
        status="Delivered", attempts=2, next_attempt_at=None
    )
    data = caller.get(f"/v1/api/events/{event}").json()["data"]
    assert (data["status"], data["attempt_count"]) == ("Pending", 0)
    pending, delivered = data["deliveries"]
    assert pending["next_attempt_at"] == data["next_attempt_at"] == data["created_at"]
    assert delivered == {
        "endpoint_id": second, "status": "Delivered", "attempt_count": 2, "last_attempt_at": None,
        "next_attempt_at": None, "delivered_at": None,
    }  # fmt: skip
    sent = post(caller, {"endpoint_id": second}, f"/v1/api/events/{event}/redeliver")
    assert sent.status_code == 200
    assert set(EventDelivery.objects.values_list("status", "attempts")) == {("Pending", 0)}
    assert pending["endpoint_id"] == first


def test_a_test_event_goes_to_the_endpoint_in_the_path(caller: ApiCaller) -> None:
    create(caller)
    chosen = create(caller, events=["loan.created"])["_id"]
    response = caller.post(f"{PATH}/{chosen}/test")
    assert response.status_code == 201
    assert str(EventDelivery.objects.get().endpoint_id) == chosen
    put(caller, f"{PATH}/{chosen}", {"url": URL, "enabled": False})
    assert_error(
        caller.post(f"{PATH}/{chosen}/test"),
        409,
        "webhook_disabled",
        "The webhook endpoint is disabled. Enable it and try again",
    )


def test_missed_events_are_resent_by_time_and_type(caller: ApiCaller) -> None:
    path = f"{PATH}/{create(caller)['_id']}/redeliver"
    WebhookEndpoint.objects.update(enabled=False)
    withdrawal, loan = happened(caller), happened(caller, "loan.created")
    assert_error(post(caller, {}, path), 409, "no_endpoint")
    WebhookEndpoint.objects.update(enabled=True)
    start = Event.objects.get(id=withdrawal).created_at.isoformat()
    for body, message in (
        ({"created_from": "yesterday"}, "created_from must be an ISO 8601 date"),
        ({"created_to": 7}, "created_to must be a string"),
        ({"types": ["loan"]}, "types has no event type loan"),
    ):
        response = post(caller, body, path)
        assert response.status_code == 400
        assert response.json()["message"].startswith(message)
    assert not EventDelivery.objects.exists()
    response = post(caller, {"created_from": start, "types": ["loan.created"]}, path)
    assert response.json()["data"] == {"queued": 1, "remaining": 0}
    assert EventDelivery.objects.get().event_id == loan
    response = post(caller, {"created_from": start, "created_to": start}, path)
    assert response.json()["data"]["queued"] == 1
    assert post(caller, {"created_from": start}, path).json()["data"]["queued"] == 0


def test_lists_take_several_types_and_include_bodies(caller: ApiCaller) -> None:
    ids = [str(happened(caller, name)) for name in ("loan.created", "trade.created", "loan.repaid")]
    for query in ({}, {"after": "start"}, {"use_cursor": "true"}):
        for types, expected in (
            ("loan.created", ids[:1]),
            ("Loan.created,loan.repaid", [ids[0], ids[2]]),
            ("trade.created, trade.created", [ids[1]]),
        ):
            found = caller.get("/v1/api/events", {**query, "type": types}).json()["data"]["events"]
            assert sorted(event["id"] for event in found) == expected, (query, types)
            assert all("body" not in event for event in found)
        response = caller.get("/v1/api/events", {**query, "include": "body", "limit": "1"})
        [event] = response.json()["data"]["events"]
        assert event["body"]["id"] == event["id"]
        assert b'"data":{"amount":90.02}' in response.content
    for query, message in (
        ({"type": "loan.created,loan"}, "type must be one of ["),
        ({"type": "loan.created,"}, "type must be one of ["),
        ({"include": "payload"}, "include must be one of [body]"),
    ):
        for after in ({}, {"after": "start"}):
            response = caller.get("/v1/api/events", {**query, **after})
            assert response.status_code == 400
            assert response.json()["message"].startswith(message)
