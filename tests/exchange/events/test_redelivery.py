"""Events sent again: to one endpoint, to all that miss them, many at once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from exchange.core.errors import Conflict
from exchange.events.errors import EndpointNotFound
from exchange.events.models import Event, EventDelivery, WebhookEndpoint
from exchange.events.selectors import missing_events
from exchange.events.services import outbox
from exchange.events.services.outbox import redeliver, redeliver_undelivered
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.events import (
    delete_deliveries,
    deliveries,
    emit_event,
    event_state,
    make_endpoint,
)

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(days=1)


def settle(event: Event, **statuses: Any) -> None:
    for endpoint_id, status in statuses.items():
        event.deliveries.filter(endpoint=UUID(endpoint_id)).update(
            status=status, next_attempt_at=None
        )


def test_redelivery_goes_to_one_endpoint_or_to_all_that_miss_the_event(owner):
    one, two, unwanted = (
        make_endpoint(owner),
        make_endpoint(owner),
        make_endpoint(owner, "loan.created"),
    )
    event = emit_event(owner)

    def pending_after(**given: Any) -> set[UUID]:
        settle(event, **{str(one.id): "Delivered", str(two.id): given.pop("second", "Exhausted")})
        redeliver(event_id=event.id, actor=TESTER, organisation_id=owner.id, **given)
        return {key for key, (status, _) in deliveries(event).items() if status == "Pending"}

    assert pending_after() == {two.id}
    assert pending_after(second="Delivered") == {one.id, two.id}
    assert pending_after(endpoint_id=one.id) == {one.id}
    assert pending_after(endpoint_id=unwanted.id) == {unwanted.id}
    with pytest.raises(EndpointNotFound):
        pending_after(endpoint_id=make_endpoint(make_organisation("Other")).id)
    WebhookEndpoint.objects.filter(id=two.id).update(enabled=False)
    with pytest.raises(Conflict, match="No webhook endpoint is enabled"):
        pending_after(endpoint_id=two.id)


def test_an_event_that_no_endpoint_wanted_is_redelivered_to_all(owner):
    event = emit_event(owner)
    assert event_state(event) == ("Unsent", 0)
    one, two = make_endpoint(owner), make_endpoint(owner)
    assert redeliver(event_id=event.id, actor=TESTER).status == "Pending"
    assert set(deliveries(event)) == {one.id, two.id}


def test_a_bulk_redelivery_takes_what_one_endpoint_missed(owner, monkeypatch):
    """Also of a time when it was disabled while another received the events."""
    down, up = make_endpoint(owner), make_endpoint(owner)
    before = emit_event(owner)
    EventDelivery.objects.update(status="Delivered", next_attempt_at=None)
    WebhookEndpoint.objects.filter(id=down.id).update(enabled=False)
    since = timezone.now()
    missed = [emit_event(owner) for _ in range(3)]
    loan = emit_event(owner, "loan.created")
    EventDelivery.objects.update(status="Delivered", next_attempt_at=None)
    again: Callable[..., Any] = lambda **given: redeliver_undelivered(  # noqa: E731
        organisation_id=owner.id, endpoint_id=down.id, actor=TESTER, **given
    )
    with pytest.raises(Conflict, match="No webhook endpoint is enabled"):
        again(since=since)
    WebhookEndpoint.objects.filter(id=down.id).update(enabled=True)
    assert again() == outbox.Redelivery(0, 0)
    monkeypatch.setattr(outbox, "MAX_REDELIVERIES", 2)
    assert again(since=since, types=["withdrawal.created"]) == outbox.Redelivery(2, 1)
    assert [down.id in deliveries(event) for event in missed] == [True, True, False]
    assert again(since=since, until=loan.created_at) == outbox.Redelivery(1, 0)
    assert again(since=since) == outbox.Redelivery(1, 0)
    assert again(since=since) == outbox.Redelivery(0, 0)
    assert deliveries(before)[down.id] == ("Delivered", 0)
    assert {deliveries(event)[up.id][0] for event in missed} == {"Delivered"}


def test_events_delivered_before_there_were_deliveries_are_not_missing(owner):
    endpoint = make_endpoint(owner)
    event, unsent = emit_event(owner), emit_event(owner)
    Event.objects.filter(id=event.id).update(status="Delivered")
    Event.objects.filter(id=unsent.id).update(status="Unsent")
    delete_deliveries()
    since = timezone.now() - DAY
    assert list(missing_events(endpoint, since=since)) == [unsent]
    assert list(missing_events(endpoint)) == [unsent]
