"""Delivery of events to a real receiver, from the database."""

import json
import time
import uuid
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import Settings
from standardwebhooks import Webhook

from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict
from exchange.events.errors import EventNotFound
from exchange.events.models import DeliveryAttempt, Event, WebhookEndpoint
from exchange.events.services import endpoints as webhook_endpoints
from exchange.events.services.claims import claim_due
from exchange.events.services.deliveries import (
    DeliveryResult,
    deliver_due,
    record_attempt,
    retry_delay,
    send_event,
)
from exchange.events.services.outbox import mark_unsent, redeliver
from exchange.events.webhooks.posting import PostOutcome
from tests.environment.database import session
from tests.environment.owner import without_guards
from tests.environment.webhook_receiver import Receiver, Reply
from tests.factories.api_clients import TESTER
from tests.factories.events import (
    attempt_history,
    emit_event,
    event_state,
    make_due,
    make_organisation_with_endpoint,
    seconds_to_next_attempt,
)

pytestmark = pytest.mark.django_db(transaction=True)


# --- The happy path -----------------------------------------------------------------------------


def test_an_event_is_delivered_once_signed_and_byte_for_byte(receiver: Receiver) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    assert deliver_due().posted == 1
    assert deliver_due().posted == 0
    (request,) = receiver.received
    secret = WebhookEndpoint.objects.get(organisation_id=event.organisation_id).secret
    payload = Webhook(secret).verify(request.body, request.headers)
    assert request.body == event.body.encode()
    assert request.headers["webhook-id"] == payload["id"] == str(event.id)
    assert list(payload) == ["id", "type", "timestamp", "data"]
    assert payload["type"] == "withdrawal.created"
    assert payload["data"] == {"amount": 90.02, "name": "Zoë"}
    assert event_state(event) == ("Delivered", 1)
    delivery = event.deliveries.get()
    assert (delivery.next_attempt_at, delivery.leased_until) == (None, None)
    assert event.delivered_at is not None
    attempt = event.delivery_attempts.get()
    assert (attempt.number, attempt.status_code, attempt.answer) == (1, 200, "taken")
    assert (attempt.url, attempt.error) == (receiver.url, "")


def test_an_event_of_a_rolled_back_change_is_not_sent(receiver: Receiver) -> None:
    owner = make_organisation_with_endpoint(receiver.url)
    with transaction.atomic():
        emit_event(owner)
        transaction.set_rollback(True)
    assert Event.objects.count() == 0
    assert deliver_due().posted == 0
    assert receiver.received == []


def test_the_timestamp_is_that_of_the_attempt(receiver: Receiver) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_event SET created_at = created_at - interval '1 hour' WHERE id = %s",
            [event.pk],
        )
    before = int(time.time())
    deliver_due()
    (request,) = receiver.received
    assert before <= int(request.headers["webhook-timestamp"]) <= time.time()
    assert event_state(event) == ("Delivered", 1)


def test_during_rotation_old_and_new_secret_verify_and_after_it_only_the_new(
    receiver: Receiver,
) -> None:
    owner = make_organisation_with_endpoint(receiver.url)
    old = WebhookEndpoint.objects.get(organisation=owner).secret
    _, new = webhook_endpoints.rotate_secret(organisation_id=owner.id, actor=TESTER)
    emit_event(owner)
    deliver_due()
    for secret in (old, new):
        Webhook(secret).verify(receiver.received[0].body, receiver.received[0].headers)
    WebhookEndpoint.objects.update(previous_secret_until=timezone.now())
    emit_event(owner)
    deliver_due()
    headers = receiver.received[1].headers
    assert headers["webhook-signature"].count("v1,") == 1
    Webhook(new).verify(receiver.received[1].body, headers)


# --- Failures and retries -----------------------------------------------------------------------


def test_a_failed_event_is_retried_nine_times_on_schedule_then_exhausted(
    receiver: Receiver,
) -> None:
    receiver.reply = Reply(500, body=b"no")
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    decided = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    for tries, seconds in enumerate(decided, start=1):
        assert deliver_due().posted == 1
        assert event_state(event) == ("Pending", tries)
        assert seconds - 3 < seconds_to_next_attempt(event) <= seconds * 1.1
        assert deliver_due().posted == 0  # not before its time
        make_due(event)
    assert deliver_due().posted == 1
    assert event_state(event) == ("Exhausted", 10)
    assert event.deliveries.get().next_attempt_at is None
    assert deliver_due().posted == 0
    assert attempt_history(event) == [(n, 500) for n in range(1, 11)]
    assert {r.headers["webhook-id"] for r in receiver.received} == {str(event.id)}
    assert len({r.body for r in receiver.received}) == 1


def test_jitter_lengthens_a_delay_by_at_most_a_tenth() -> None:
    refused = PostOutcome(status_code=500, milliseconds=1)
    waits = [retry_delay(2, refused).total_seconds() for _ in range(200)]
    assert min(waits) >= 300
    assert max(waits) <= 330
    assert max(waits) - min(waits) > 15


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("3600", 3590, 3600), ("1", 3, 5.5), ("99999999", 86390, 86400)],
    ids=["longer", "shorter than planned", "beyond a day"],
)
def test_retry_after_is_honoured_when_longer_and_up_to_a_day(
    receiver: Receiver, asked: str, least: float, most: float
) -> None:
    receiver.reply = Reply(503, {"Retry-After": asked})
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    deliver_due()
    assert least < seconds_to_next_attempt(event) <= most


def test_a_receiver_that_recovers_gets_the_event(receiver: Receiver) -> None:
    receiver.reply = Reply(502)
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    deliver_due()
    receiver.reply = Reply(204, body=b"")
    make_due(event)
    deliver_due()
    assert event_state(event) == ("Delivered", 2)
    assert attempt_history(event) == [(1, 502), (2, 204)]


def test_410_disables_the_endpoint_and_makes_pending_events_unsent(receiver: Receiver) -> None:
    receiver.reply = Reply(410)
    owner, other = (
        make_organisation_with_endpoint(receiver.url),
        make_organisation_with_endpoint(receiver.url, "Other"),
    )
    first, later = emit_event(owner), emit_event(owner)
    later.deliveries.update(next_attempt_at=timezone.now() + timedelta(hours=1))
    spared = emit_event(other)
    spared.deliveries.update(next_attempt_at=timezone.now() + timedelta(hours=1))
    deliver_due()
    assert event_state(first) == ("Unsent", 1)
    assert event_state(later) == ("Unsent", 0)
    assert later.deliveries.get().next_attempt_at is None
    assert event_state(spared) == ("Pending", 0)
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    assert (endpoint.enabled, endpoint.disabled_reason) == (False, "The endpoint answered 410 Gone")
    assert WebhookEndpoint.objects.get(organisation=other).enabled
    assert len(receiver.received) == 1


def test_410_of_a_changed_address_does_not_disable_the_new_one(
    receiver: Receiver,
) -> None:
    receiver.reply = Reply(410)
    owner = make_organisation_with_endpoint(receiver.url)
    event = emit_event(owner)
    (claim,) = claim_due(most=1)
    sent = send_event(claim)
    webhook_endpoints.set_endpoint(
        organisation_id=owner.id, url=receiver.url + "/new", actor=TESTER
    )
    assert record_attempt(sent) == DeliveryResult.RETRIED_LATER
    assert event_state(event) == ("Pending", 1)
    assert WebhookEndpoint.objects.get(organisation=owner).enabled


def test_without_an_endpoint_or_with_a_disabled_one_events_are_unsent(receiver: Receiver) -> None:
    nowhere, off = (
        make_organisation_with_endpoint(None),
        make_organisation_with_endpoint(receiver.url),
    )
    WebhookEndpoint.objects.update(enabled=False)
    events = [emit_event(nowhere), emit_event(off), *(emit_event(off) for _ in range(9))]
    assert deliver_due().posted == 0
    assert {event_state(event) for event in events} == {("Unsent", 0)}
    assert receiver.received == []
    assert DeliveryAttempt.objects.count() == 0


def test_a_name_that_resolves_to_loopback_is_rejected_when_sending(
    receiver: Receiver, settings: Settings
) -> None:
    url = receiver.url.replace("http://127.0.0.1", "https://localhost")
    event = emit_event(make_organisation_with_endpoint(url))
    settings.WEBHOOK_ALLOW_LOCAL = False
    deliver_due()
    attempt = event.delivery_attempts.get()
    assert (attempt.status_code, attempt.error) == (
        None,
        "the URL does not resolve to a public address over https",
    )
    assert event_state(event) == ("Pending", 1)
    assert receiver.received == []


# --- Again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["Delivered", "Exhausted", "Unsent", "Pending"])
def test_an_event_in_any_status_can_be_redelivered_and_keeps_its_history(
    receiver: Receiver, status: str
) -> None:
    receiver.reply = Reply(500)
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    deliver_due()
    event.deliveries.update(status=status, attempts=7, delivered_at=None)
    receiver.reply = Reply(200)
    redeliver(event_id=event.id, actor=TESTER)
    assert event_state(event) == ("Pending", 0)
    deliver_due()
    assert event_state(event) == ("Delivered", 1)
    assert attempt_history(event) == [(1, 500), (2, 200)]
    assert {r.headers["webhook-id"] for r in receiver.received} == {str(event.id)}


def test_redelivery_does_not_send_an_event_twice_while_it_is_being_sent(
    receiver: Receiver,
) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    (claim,) = claim_due(most=1)
    redeliver(event_id=event.id, actor=TESTER)
    assert claim_due(most=1) == []
    assert record_attempt(send_event(claim)) == DeliveryResult.DELIVERED
    assert event_state(event) == ("Delivered", 1)


def test_redelivery_without_an_enabled_endpoint_changes_nothing(
    receiver: Receiver,
) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    deliver_due()
    WebhookEndpoint.objects.update(enabled=False)
    with pytest.raises(Conflict, match="No webhook endpoint is enabled"):
        redeliver(event_id=event.id, actor=TESTER)
    assert event_state(event) == ("Delivered", 1)


def test_another_organisations_event_is_not_found(receiver: Receiver) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    deliver_due()
    other = make_organisation_with_endpoint(receiver.url, "Other")
    with pytest.raises(EventNotFound):
        redeliver(event_id=event.id, actor=TESTER, organisation_id=other.id)
    with pytest.raises(EventNotFound):
        redeliver(event_id=uuid.uuid4(), actor=TESTER)
    assert event_state(event) == ("Delivered", 1)


def test_demo_events_are_marked_unsent_and_not_sent(receiver: Receiver) -> None:
    owner, other = (
        make_organisation_with_endpoint(receiver.url),
        make_organisation_with_endpoint(receiver.url, "Other"),
    )
    quiet, loud = [emit_event(owner), emit_event(owner)], emit_event(other)
    assert mark_unsent(organisation_id=owner.id) == 2
    assert deliver_due().posted == 1
    assert {event_state(event) for event in quiet} == {("Unsent", 0)}
    assert event_state(loud) == ("Delivered", 1)


def test_event_contents_and_attempts_are_immutable(
    owner_connection: psycopg.Connection[Any], receiver: Receiver
) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    deliver_due()
    with pytest.raises(IntegrityError, match="frozen"):
        Event.objects.filter(id=event.id).update(body="{}")
    with pytest.raises(psycopg.errors.RestrictViolation):
        owner_connection.execute("UPDATE exchange_deliveryattempt SET status_code = 200")
    assert json.loads(Event.objects.get(id=event.id).body)["data"]["amount"] == 90.02


def test_an_event_starts_pending_and_has_a_known_status(receiver: Receiver) -> None:
    event = emit_event(make_organisation_with_endpoint(receiver.url))
    assert event_state(event) == ("Pending", 0)
    for change in ({"status": "Told"}, {"attempts": -1}):
        with pytest.raises(IntegrityError) as refused, transaction.atomic():
            Event.objects.filter(id=event.id).update(**change)
        assert violated_constraint(refused.value) == "event_status_known"
    copied = (
        "INSERT INTO exchange_event (id, organisation_id, type, subject_id, body, created_at, {0})"
        " SELECT gen_random_uuid(), organisation_id, type, subject_id, body, created_at, {0}"
        " FROM exchange_event"
    )
    for column in ("status", "attempts", "delivered_at"):
        attack = copied.format(column).encode()
        with session("runtime") as role, pytest.raises(psycopg.errors.InsufficientPrivilege):
            role.execute(attack)
    assert Event.objects.count() == 1
