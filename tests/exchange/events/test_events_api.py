"""The webhook endpoint and the events of an organisation, through the API."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone
from pytest_django import Settings
from standardwebhooks import Webhook

from exchange.core.ids import uuid7
from exchange.events.models import Event, WebhookEndpoint
from exchange.events.services.deliveries import deliver_due
from exchange.events.services.outbox import emit
from tests.environment.webhook_receiver import Receiver, Reply
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.events import make_due

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.environment.api_urls"),
]

ENDPOINT_FIELDS = [
    "url",
    "enabled",
    "disabled_reason",
    "previous_secret_until",
    "created_at",
    "updated_at",
]
EVENT_FIELDS = [
    "id",
    "type",
    "status",
    "subject_id",
    "attempt_count",
    "next_attempt_at",
    "created_at",
    "delivered_at",
]


@pytest.fixture
def caller() -> ApiCaller:
    return make_caller(["webhooks:manage"])


def put(caller: ApiCaller, body: Any) -> Any:
    return caller.client.put(
        "/v1/api/webhook", json.dumps(body), "application/json", headers=caller.headers
    )


def happened(caller: ApiCaller, event_type: str = "withdrawal.created") -> UUID:
    return emit(
        organisation_id=caller.organisation.id,
        event_type=event_type,
        subject_id=uuid7(),
        data='{"amount":90.02}',
    )


def assert_rejected(response: Any, status: int, message: str, code: str) -> None:
    assert response.status_code == status
    assert response.json() == {"status": "failed", "message": message}
    assert response.headers["X-Error-Code"] == code


# --- The endpoint -------------------------------------------------------------------------------


def test_the_secret_is_shown_once_at_creation_and_signs(
    caller: ApiCaller, receiver: Receiver
) -> None:
    created = put(caller, {"url": receiver.url})
    assert created.status_code == 201
    data = created.json()["data"]
    assert list(data) == [*ENDPOINT_FIELDS, "secret"]
    secret = data.pop("secret")
    shown = caller.get("/v1/api/webhook")
    assert shown.status_code == 200
    assert shown.json()["data"] == data
    assert (data["url"], data["enabled"], data["disabled_reason"]) == (receiver.url, True, None)
    changed = put(caller, {"url": receiver.url + "/2"})
    assert changed.status_code == 200
    assert list(changed.json()["data"]) == ENDPOINT_FIELDS
    assert changed.json()["data"]["url"] == receiver.url + "/2"
    happened(caller)
    deliver_due()
    (request,) = receiver.received
    assert request.path == "/hook/2"
    Webhook(secret).verify(request.body, request.headers)


def test_the_secret_is_encrypted_in_the_database(
    caller: ApiCaller, receiver: Receiver, owner_connection: Any
) -> None:
    secret = put(caller, {"url": receiver.url}).json()["data"]["secret"]
    (stored,) = owner_connection.execute("SELECT secret FROM exchange_webhookendpoint").fetchone()
    assert WebhookEndpoint.objects.get().secret == secret
    assert secret not in stored
    assert "whsec_" not in stored


def test_rotation_returns_a_new_secret_and_the_old_one_signs_for_a_day(
    caller: ApiCaller, receiver: Receiver
) -> None:
    old = put(caller, {"url": receiver.url}).json()["data"]["secret"]
    rotated = caller.post("/v1/api/webhook/rotate-secret")
    assert rotated.status_code == 200
    data = rotated.json()["data"]
    assert data["secret"] != old
    until = WebhookEndpoint.objects.get().previous_secret_until
    assert until is not None
    assert timedelta(hours=23, minutes=59) < until - timezone.now() <= timedelta(hours=24)
    assert data["previous_secret_until"].startswith(f"{until:%Y-%m-%dT%H:%M}")
    assert "secret" not in caller.get("/v1/api/webhook").json()["data"]
    happened(caller)
    deliver_due()
    for secret in (old, data["secret"]):
        Webhook(secret).verify(receiver.received[0].body, receiver.received[0].headers)


def test_an_endpoint_can_be_disabled_and_enabled(caller: ApiCaller, receiver: Receiver) -> None:
    put(caller, {"url": receiver.url})
    off = put(caller, {"url": receiver.url, "enabled": False}).json()["data"]
    assert (off["enabled"], off["disabled_reason"]) == (False, "Switched off by the organisation")
    assert_rejected(
        caller.post("/v1/api/webhook/test"),
        409,
        "The webhook endpoint is disabled. Enable it and try again",
        "webhook_disabled",
    )
    on = put(caller, {"url": receiver.url}).json()["data"]
    assert (on["enabled"], on["disabled_reason"]) == (True, None)


def test_without_an_endpoint_reads_rotation_and_tests_are_not_found(caller: ApiCaller) -> None:
    for response in (
        caller.get("/v1/api/webhook"),
        caller.post("/v1/api/webhook/rotate-secret"),
        caller.post("/v1/api/webhook/test"),
    ):
        assert_rejected(response, 404, "Webhook endpoint not found", "webhook_not_found")
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://1.1.1.1/hook",
        "https://127.0.0.1/hook",
        "https://localhost/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:10.0.0.1]/",
        "https://100.64.0.1/",
        "https://me:secret@1.1.1.1/",
        "javascript:alert(1)",
        "",
        "https://",
    ],
)
def test_a_forbidden_url_is_rejected_and_nothing_is_set(
    caller: ApiCaller, settings: Settings, url: str
) -> None:
    settings.WEBHOOK_ALLOW_LOCAL = False
    response = put(caller, {"url": url})
    assert response.status_code == 400
    assert "url" in response.json()["message"]
    assert response.headers["X-Error-Code"] == ("invalid_url" if url else "invalid_request")
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": None},
        {"url": 5},
        {"url": ["https://1.1.1.1"]},
        {"url": "https://1.1.1.1/\x00"},
        {"url": "https://1.1.1.1/", "enabled": "yes"},
        {"url": "https://1.1.1.1/", "enabled": 1},
        {"url": "https://1.1.1.1/", "enabled": None},
        [],
    ],
)
def test_an_invalid_body_is_rejected(caller: ApiCaller, body: Any) -> None:
    assert put(caller, body).status_code == 400
    assert not WebhookEndpoint.objects.exists()


def test_a_rejected_change_leaves_the_endpoint_unchanged(
    caller: ApiCaller, receiver: Receiver, settings: Settings
) -> None:
    put(caller, {"url": receiver.url})
    before = caller.get("/v1/api/webhook").json()
    settings.WEBHOOK_ALLOW_LOCAL = False
    assert put(caller, {"url": "https://10.0.0.1/"}).status_code == 400
    assert caller.get("/v1/api/webhook").json() == before


def test_a_test_event_is_delivered(caller: ApiCaller, receiver: Receiver) -> None:
    put(caller, {"url": receiver.url})
    response = caller.post("/v1/api/webhook/test")
    assert response.status_code == 201
    data = response.json()["data"]
    assert list(data) == EVENT_FIELDS
    assert (data["type"], data["status"]) == ("webhook.test", "Pending")
    deliver_due()
    (request,) = receiver.received
    assert json.loads(request.body)["type"] == "webhook.test"
    assert request.headers["webhook-id"] == data["id"]


# --- Events -------------------------------------------------------------------------------------


def test_events_are_listed_newest_first_in_pages(caller: ApiCaller) -> None:
    ids = [str(happened(caller)) for _ in range(5)]
    happened(make_caller())
    data = caller.get("/v1/api/events", {"limit": 2}).json()["data"]
    assert {k: data[k] for k in ("page", "pages", "count", "total")} == {
        "page": 1,
        "pages": 3,
        "count": 2,
        "total": 5,
    }
    assert [event["id"] for event in data["events"]] == [ids[4], ids[3]]
    assert list(data["events"][0]) == EVENT_FIELDS
    last = caller.get("/v1/api/events", {"limit": 2, "page": 3}).json()["data"]
    assert [event["id"] for event in last["events"]] == [ids[0]]
    oldest = caller.get("/v1/api/events", {"sort": "created_at"}).json()["data"]["events"]
    assert [event["id"] for event in oldest] == ids


def test_events_are_filtered_by_type_status_record_and_time(
    caller: ApiCaller, receiver: Receiver
) -> None:
    put(caller, {"url": receiver.url})
    first = happened(caller, "withdrawal.created")
    deliver_due()
    second = happened(caller, "withdrawal.failed")
    subject = str(Event.objects.get(id=first).subject_id)
    between = Event.objects.get(id=second).created_at - timedelta(milliseconds=1)

    def found(**query: str) -> list[str]:
        answer = caller.get("/v1/api/events", query)
        assert answer.status_code == 200, answer.json()
        return [event["id"] for event in answer.json()["data"]["events"]]

    assert found(type="WITHDRAWAL.failed") == [str(second)]
    assert found(status="delivered") == [str(first)]
    assert found(status="Pending") == [str(second)]
    assert found(subject_id=subject) == [str(first)]
    assert found(created_from=between.isoformat()) == [str(second)]
    assert found(created_to=between.isoformat()) == [str(first)]
    assert found(status="Exhausted") == []


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"status": "Lost"}, "Pending, Delivered, Exhausted, Unsent"),
        ({"type": "withdrawal"}, "withdrawal.created"),
        ({"created_from": "yesterday"}, "created_from"),
        ({"sort": "secret"}, "sort"),
        ({"page": "0"}, "page"),
    ],
)
def test_an_invalid_filter_is_rejected_by_name(
    caller: ApiCaller, query: dict[str, str], named: str
) -> None:
    response = caller.get("/v1/api/events", query)
    assert response.status_code == 400
    assert named in response.json()["message"]


def test_an_event_shows_its_body_as_posted_and_every_attempt(
    caller: ApiCaller, receiver: Receiver
) -> None:
    put(caller, {"url": receiver.url})
    event_id = happened(caller)
    receiver.reply = Reply(500, body=b'not "now"')
    deliver_due()
    make_due(Event.objects.get(id=event_id))
    receiver.reply = Reply(200, body=b"ok")
    deliver_due()
    response = caller.get(f"/v1/api/events/{event_id}")
    assert response.status_code == 200
    data = response.json()["data"]
    assert list(data) == [*EVENT_FIELDS, "deliveries", "attempts", "body"]
    assert (data["status"], data["attempt_count"]) == ("Delivered", 2)
    posted = receiver.received[0].body
    assert b'"body":' + posted in response.content
    assert data["body"] == json.loads(posted)
    first, second = data["attempts"]
    assert list(first) == [
        "endpoint_id",
        "number",
        "url",
        "attempted_at",
        "milliseconds",
        "status_code",
        "error",
        "answer",
    ]
    assert (first["number"], first["status_code"], first["answer"]) == (1, 500, 'not "now"')
    assert (second["number"], second["status_code"], second["answer"]) == (2, 200, "ok")
    assert first["error"] is None
    assert first["url"] == receiver.url


def test_an_event_without_attempts_has_an_empty_list(caller: ApiCaller) -> None:
    data = caller.get(f"/v1/api/events/{happened(caller)}").json()["data"]
    assert data["attempts"] == []


def test_an_event_is_redelivered_on_request(caller: ApiCaller, receiver: Receiver) -> None:
    put(caller, {"url": receiver.url})
    event_id = happened(caller)
    deliver_due()
    response = caller.post(f"/v1/api/events/{event_id}/redeliver")
    assert response.status_code == 200
    data = response.json()["data"]
    assert (data["id"], data["status"], data["delivered_at"]) == (str(event_id), "Pending", None)
    deliver_due()
    assert [r.headers["webhook-id"] for r in receiver.received] == [str(event_id)] * 2
    assert len(caller.get(f"/v1/api/events/{event_id}").json()["data"]["attempts"]) == 2


def test_redelivery_without_an_enabled_endpoint_is_a_conflict(caller: ApiCaller) -> None:
    event_id = happened(caller)
    deliver_due()
    assert_rejected(
        caller.post(f"/v1/api/events/{event_id}/redeliver"),
        409,
        "No webhook endpoint is enabled. Enable one and try again",
        "no_endpoint",
    )
    assert Event.objects.get(id=event_id).status == "Unsent"


def test_events_of_others_and_unknown_or_malformed_ids_are_not_found(
    caller: ApiCaller, receiver: Receiver
) -> None:
    other = make_caller()
    put(other, {"url": receiver.url})
    foreign = happened(other)
    deliver_due()
    for event_id in (str(foreign), str(uuid4()), "x", f"{{{foreign}}}", "%00"):
        for response in (
            caller.get(f"/v1/api/events/{event_id}"),
            caller.post(f"/v1/api/events/{event_id}/redeliver"),
        ):
            assert_rejected(response, 404, "Event not found", "event_not_found")
    assert Event.objects.get(id=foreign).status == "Delivered"
    assert caller.get("/v1/api/webhook").status_code == 404


def test_every_endpoint_requires_the_scope(receiver: Receiver) -> None:
    caller = make_caller(["wallets:read"])
    event_id = happened(caller)
    for response in (
        put(caller, {"url": receiver.url}),
        caller.get("/v1/api/webhook"),
        caller.post("/v1/api/webhook/rotate-secret"),
        caller.post("/v1/api/webhook/test"),
        caller.get("/v1/api/events"),
        caller.get(f"/v1/api/events/{event_id}"),
        caller.post(f"/v1/api/events/{event_id}/redeliver"),
    ):
        assert response.status_code == 403
        assert response.headers["X-Error-Code"] == "insufficient_scope"
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.urls("config.urls")
def test_the_schema_describes_the_endpoints(caller: ApiCaller) -> None:
    schema = caller.get("/v1/schema").json()
    paths = schema["paths"]
    assert set(paths["/v1/api/webhook"]) == {"get", "put"}
    assert {"200", "201", "400"} <= set(paths["/v1/api/webhook"]["put"]["responses"])
    assert {"200", "404", "409"} <= set(
        paths["/v1/api/events/{event_id}/redeliver"]["post"]["responses"]
    )
    listed = {p["name"] for p in paths["/v1/api/events"]["get"]["parameters"]}
    assert {"type", "status", "created_from", "created_to", "sort", "page", "limit"} <= listed
    components = schema["components"]["schemas"]
    assert list(components["Event"]["properties"]) == [*EVENT_FIELDS, "body"]
    assert components["Event"]["required"] == EVENT_FIELDS
    assert "secret" not in components["Webhook"]["properties"]
