"""Redelivery of one event, or of all exhausted events of an organisation."""

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from exchange.core import task_notifier
from exchange.core.actors import Actor
from exchange.core.errors import Conflict
from exchange.core.ids import uuid7
from exchange.events.errors import EndpointNotFound, EventNotFound
from exchange.events.models import DeliveryAttempt, Event, EventDelivery, WebhookEndpoint
from exchange.events.payloads import EVENT, EVENT_DETAIL
from exchange.events.selectors import (
    EndpointHealth,
    endpoint_document,
    event_document,
    get_endpoint_health,
)
from exchange.events.services.endpoints import send_test
from exchange.events.services.outbox import (
    describe_actor,
    emit,
    mark_unsent,
    redeliver,
    redeliver_undelivered,
)
from exchange.participants.models import Organisation
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.database import session
from tests.environment.owner import without_guards
from tests.environment.processes import wait_until
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.events import emit_event, exhaust_attempts, make_organisation_with_endpoint

pytestmark = pytest.mark.django_db

URL = "http://127.0.0.1:9/hook"


@pytest.fixture
def bystander() -> Organisation:
    """Another organisation, created earlier, with an exhausted event."""
    made = make_organisation_with_endpoint(URL, "Bystander")
    exhaust_attempts(emit_event(made))
    return made


@pytest.fixture
def owner(bystander: Organisation) -> Organisation:
    return make_organisation_with_endpoint(URL)


def columns(event: Event) -> dict[str, Any]:
    names = ("status", "attempts", "delivered_at")
    (found,) = Event.objects.filter(id=event.id).values(*names)
    (delivery,) = event.deliveries.values(*names, "next_attempt_at", "leased_until")
    assert found.items() <= delivery.items()
    return dict(delivery)


@pytest.mark.parametrize("status", ["Delivered", "Exhausted", "Unsent", "Pending"])
def test_redelivery_restarts_one_event_and_no_other(owner, status):
    event, others = emit_event(owner), [emit_event(owner), exhaust_attempts(emit_event(owner))]
    event.deliveries.update(
        status=status, attempts=7, delivered_at=timezone.now(), next_attempt_at=None,
        leased_until=timezone.now() - timedelta(seconds=1),
    )  # fmt: skip
    untouched = [columns(each) for each in others]
    before = timezone.now()
    again = redeliver(event_id=event.id, actor=TESTER, organisation_id=owner.pk)
    assert (again.id, again.status, again.attempts) == (event.id, "Pending", 0)
    now = columns(event)
    assert abs(now.pop("next_attempt_at") - before) < timedelta(seconds=5)
    assert now == {
        "status": "Pending", "attempts": 0, "delivered_at": None, "leased_until": None,
    }  # fmt: skip
    assert [columns(each) for each in others] == untouched


def test_an_event_that_is_being_sent_keeps_its_lease(owner):
    event, until = emit_event(owner), timezone.now() + timedelta(minutes=1)
    event.deliveries.update(leased_until=until, attempts=3)
    redeliver(event_id=event.id, actor=TESTER)
    assert columns(event) == {
        "status": "Pending", "attempts": 0, "delivered_at": None,
        "leased_until": until, "next_attempt_at": until,
    }  # fmt: skip


def test_an_organisation_cannot_redeliver_events_of_another(owner, bystander):
    event = emit_event(bystander)
    with assert_no_table_changes():
        for unknown, of in ((event.id, owner.pk), (uuid.uuid4(), owner.pk), (uuid.uuid4(), None)):
            with pytest.raises(EventNotFound):
                redeliver(event_id=unknown, actor=TESTER, organisation_id=of)


@pytest.mark.parametrize("endpoint", ["none", "disabled"])
def test_redelivery_requires_an_enabled_endpoint_of_the_organisation(owner, endpoint):
    event = exhaust_attempts(emit_event(owner))
    own = WebhookEndpoint.objects.filter(organisation=owner)
    own.update(enabled=False) if endpoint == "disabled" else own.delete()
    with assert_no_table_changes():
        for act in (
            lambda: redeliver(event_id=event.id, actor=TESTER),
            lambda: redeliver_undelivered(organisation_id=owner.pk, actor=TESTER),
        ):
            with pytest.raises(Conflict) as refused:
                act()
            assert (
                refused.value.message == "No webhook endpoint is enabled. Enable one and try again"
            )
            assert refused.value.code == "no_endpoint"


def test_only_undelivered_events_are_redelivered(owner, bystander):
    exhausted = [exhaust_attempts(emit_event(owner)) for _ in range(2)]
    # Its endpoint was disabled for a while.
    exhausted[0].deliveries.update(status="Unsent", attempts=0)
    others = [emit_event(owner), *Event.objects.filter(organisation=bystander)]
    done = emit_event(owner)
    done.deliveries.update(status="Delivered", attempts=2, next_attempt_at=None)
    untouched = [columns(each) for each in (*others, done)]
    before = timezone.now()
    assert redeliver_undelivered(organisation_id=owner.pk, actor=TESTER).queued == 2
    for event in exhausted:
        now = columns(event)
        assert abs(now.pop("next_attempt_at") - before) < timedelta(seconds=5)
        assert now == {
            "status": "Pending", "attempts": 0, "delivered_at": None, "leased_until": None,
        }  # fmt: skip
    assert [columns(each) for each in (*others, done)] == untouched
    assert redeliver_undelivered(organisation_id=owner.pk, actor=TESTER).queued == 0


def test_redelivery_takes_a_thousand_events_and_health_reads_five_hundred(owner):
    ids = [uuid7() for _ in range(1001)]
    texts = ["{}"] * 1001
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT emit_events(%s::uuid[], %s::uuid[], %s::text[], %s::uuid[], %s::text[])",
            [ids, [owner.pk] * 1001, ["loan.created"] * 1001, ids, texts],
        )
    own = Event.objects.filter(organisation=owner)
    EventDelivery.objects.filter(event__in=ids).update(status="Exhausted", next_attempt_at=None)
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    assert get_endpoint_health(endpoint) == EndpointHealth(None, None, 1000)
    tried = [
        DeliveryAttempt.objects.create(
            event_id=ids[-number], endpoint=endpoint, number=1, url=URL,
            milliseconds=1, status_code=500, attempted_at=timezone.now() - timedelta(minutes=ago),
        )
        for number, ago in ((501, 1), (500, 9))
    ]  # fmt: skip
    assert get_endpoint_health(endpoint) == EndpointHealth(None, tried[1], 1000)
    assert redeliver_undelivered(organisation_id=owner.pk, actor=TESTER).queued == 1000
    assert own.get(status="Exhausted").id == ids[-1]
    assert get_endpoint_health(endpoint).undelivered == 1


def test_redelivery_starts_from_the_chosen_time(owner):
    """Events missed long ago stay where they are."""
    old, new = [exhaust_attempts(emit_event(owner)) for _ in range(2)]
    since = timezone.now()
    with without_guards() as cursor:
        for event, at in ((old, since - timedelta(seconds=1)), (new, since)):
            cursor.execute(
                "UPDATE exchange_event SET created_at = %s WHERE id = %s", [at, event.id]
            )
    assert redeliver_undelivered(organisation_id=owner.pk, actor=TESTER, since=since).queued == 1
    assert [columns(each)["status"] for each in (old, new)] == ["Exhausted", "Pending"]


@pytest.mark.django_db(transaction=True)
def test_redelivery_skips_locked_events():
    owner = make_organisation_with_endpoint(URL)
    locked, free = [exhaust_attempts(emit_event(owner)) for _ in range(2)]
    with session("runtime") as other, connection.cursor() as cursor:
        other.execute("SELECT FROM exchange_event WHERE id = %s FOR UPDATE", [locked.id])
        cursor.execute("SET lock_timeout = '100ms'")
        assert redeliver_undelivered(organisation_id=owner.pk, actor=TESTER).queued == 1
    assert [columns(each)["status"] for each in (locked, free)] == ["Exhausted", "Pending"]


def test_every_queued_event_notifies_the_delivery_task(
    owner, task_notifications, django_capture_on_commit_callbacks
):
    event = exhaust_attempts(emit_event(owner))
    for act in (
        lambda: emit(
            organisation_id=owner.pk, event_type="webhook.test", subject_id=uuid7(), data="{}"
        ),
        lambda: redeliver_undelivered(organisation_id=owner.pk, actor=TESTER),
        lambda: redeliver(event_id=event.id, actor=TESTER),
        lambda: send_test(organisation_id=owner.pk, actor=TESTER),
    ):
        task_notifications.clear()
        task_notifier.set_publisher(
            task_notifications.append
        )  # publishes the first notification immediately
        with django_capture_on_commit_callbacks(execute=True) as callbacks:
            act()
        assert len(callbacks) == 1
        wait_until(
            lambda: task_notifications == ["exchange.tasks.deliver_events"],
            "events are delivered",
            10,
        )


def test_demo_events_are_marked_unsent_all_or_by_subject(owner, bystander):
    first, second, third = [emit_event(owner) for _ in range(3)]
    exhausted, theirs = exhaust_attempts(emit_event(owner)), emit_event(bystander)
    untouched = [columns(each) for each in (exhausted, theirs)]
    for subjects, left, count in (
        ([], [first, second, third], 0),
        ([first.subject_id, second.subject_id, theirs.subject_id], [third], 2),
        (None, [], 1),
    ):
        marked = mark_unsent(organisation_id=owner.pk, subject_ids=subjects)
        assert marked == count
        pending = Event.objects.filter(organisation=owner, status="Pending")
        assert set(pending) == set(left)
    for event in (first, second, third):
        assert columns(event) == {
            "status": "Unsent", "attempts": 0, "next_attempt_at": None, "leased_until": None,
            "delivered_at": None,
        }  # fmt: skip
    assert [columns(each) for each in (exhausted, theirs)] == untouched


def test_documents_are_limited_to_their_organisation(owner, bystander):
    events = [emit_event(owner) for _ in range(2)]
    WebhookEndpoint.objects.filter(organisation=owner).update(url=f"{URL}/own")
    for document in (EVENT, EVENT_DETAIL):
        for event in events:
            text = event_document(owner.pk, event.id, document)
            assert json.loads(text)["id"] == str(event.id)
        for organisation_id, unknown in ((bystander.pk, events[0].id), (owner.pk, uuid.uuid4())):
            with pytest.raises(EventNotFound):
                event_document(organisation_id, unknown, document)
    assert json.loads(endpoint_document(owner.pk))["url"] == f"{URL}/own"
    with pytest.raises(EndpointNotFound):
        endpoint_document(make_organisation().pk)


def test_a_job_is_described_as_the_system():
    make_organisation()
    assert describe_actor(Actor.system("nightly")) == {"role": "system", "id": "system"}
