"""Health of a webhook endpoint, as its page shows it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from exchange.events import selectors
from exchange.events.models import DeliveryAttempt, Event
from exchange.events.selectors import EndpointHealth, get_endpoint_health
from exchange.participants.models import Organisation
from tests.factories.events import (
    delivery_of,
    emit_event,
    exhaust_attempts,
    make_organisation_with_endpoint,
)

pytestmark = pytest.mark.django_db

URL = "http://127.0.0.1:9/hook"


def health_of(owner: Organisation) -> EndpointHealth:
    return get_endpoint_health(owner.webhook_endpoints.get())


def attempt(event: Event, status: int | None, minutes_ago: int, number: int = 1) -> DeliveryAttempt:
    return DeliveryAttempt.objects.create(
        event=event, endpoint=delivery_of(event).endpoint, number=number, url=URL,
        milliseconds=5, status_code=status,
        attempted_at=timezone.now() - timedelta(minutes=minutes_ago),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("status", "failed"),
    [(None, True), (199, True), (200, False), (204, False), (299, False), (300, True), (500, True)],
)
def test_every_response_but_2xx_is_a_failure(status, failed):
    owner = make_organisation_with_endpoint(URL)
    made = attempt(emit_event(owner), status, 1)
    assert health_of(owner).last_failure == (made if failed else None)


def test_the_last_success_and_failure_are_those_of_the_endpoint():
    owner, other = (
        make_organisation_with_endpoint(URL),
        make_organisation_with_endpoint(URL, "Other"),
    )
    assert health_of(owner) == EndpointHealth(None, None, 0)
    first, second, theirs = emit_event(owner), emit_event(owner), emit_event(other)
    attempt(first, 500, 9)
    last = attempt(second, 503, 5)
    attempt(first, 500, 7, 2)
    attempt(theirs, 500, 1)
    at = timezone.now() - timedelta(minutes=3)
    first.deliveries.update(status="Delivered", delivered_at=at)
    before = at - timedelta(minutes=1)
    second.deliveries.update(status="Delivered", delivered_at=before)
    theirs.deliveries.update(status="Delivered", delivered_at=timezone.now())
    exhaust_attempts(emit_event(owner))
    exhaust_attempts(emit_event(other))
    assert health_of(owner) == EndpointHealth(at, last, 1)


def test_only_recent_events_are_read_and_the_count_is_limited(monkeypatch):
    monkeypatch.setattr(selectors, "_MAX_RECENT_EVENTS", 2)
    monkeypatch.setattr(selectors, "MAX_COUNTED", 3)
    owner = make_organisation_with_endpoint(URL)
    old, *recent = [exhaust_attempts(emit_event(owner)) for _ in range(3)]
    attempt(old, 500, 1)
    assert health_of(owner) == EndpointHealth(None, None, 3)
    newer = attempt(recent[0], 500, 5)
    assert health_of(owner).last_failure == newer
    exhaust_attempts(emit_event(owner))
    assert health_of(owner).undelivered == 3
