"""Events that a process of the previous release queued in their own rows."""

from datetime import timedelta

import pytest
from django.db import connection

from exchange.core.ids import uuid7
from exchange.events.models import Event, EventStatus
from exchange.events.services.deliveries import deliver_due
from tests.environment.webhook_receiver import Receiver
from tests.factories.events import (
    delete_deliveries,
    deliveries,
    emit_event,
    event_state,
    make_endpoint,
)

pytestmark = pytest.mark.django_db(transaction=True)


def queued_by_previous_release(event: Event, due: timedelta, attempts: int = 2) -> None:
    """Leave the event as a process of the previous release does."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE exchange_event SET status = 'Pending', attempts = %s, leased_until = NULL,"
            " next_attempt_at = statement_timestamp() + %s * interval '1 second' WHERE id = %s",
            [attempts, due.total_seconds(), event.id],
        )


def test_events_of_the_previous_release_are_taken_over_when_they_are_due(owner):
    with Receiver() as receiver:
        oldest, _ = make_endpoint(owner, url=receiver.url), make_endpoint(owner)
        due, later = emit_event(owner), emit_event(owner)
        delete_deliveries()
        queued_by_previous_release(due, timedelta())
        queued_by_previous_release(later, timedelta(minutes=1))
        assert deliver_due().posted == 1
        assert [request.headers["webhook-id"] for request in receiver.received] == [str(due.id)]
    assert (event_state(due), deliveries(due)) == (
        ("Delivered", 3), {oldest.id: ("Delivered", 3)},
    )  # fmt: skip
    assert (event_state(later), deliveries(later)) == (("Pending", 2), {})


def test_an_event_that_the_previous_release_queues_again_is_sent_again(owner):
    with Receiver() as receiver:
        make_endpoint(owner, url=receiver.url)
        event = emit_event(owner)
        deliver_due()
        queued_by_previous_release(event, timedelta(), attempts=0)
        assert deliver_due().posted == 1
        assert len(receiver.received) == 2
    assert event_state(event) == ("Delivered", 1)


def test_an_event_of_the_previous_release_without_an_endpoint_is_unsent(owner):
    event = emit_event(owner)
    queued_by_previous_release(event, timedelta(), attempts=0)
    assert deliver_due().posted == 0
    assert event_state(event) == (EventStatus.UNSENT, 0)
    assert uuid7() > event.id
