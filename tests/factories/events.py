"""Organisations with a webhook endpoint, their events, and shifts of time for deliveries."""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from exchange.core.ids import uuid7
from exchange.events.models import Event, EventDelivery, WebhookEndpoint
from exchange.events.services.endpoints import create_endpoint, set_endpoint
from exchange.events.services.outbox import emit
from exchange.participants.models import Organisation
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER

URL = "http://127.0.0.1:9/hook"


def make_organisation_with_endpoint(url: str | None, name: str = "Acme") -> Organisation:
    made = Organisation.objects.create(name=name)
    if url is not None:
        set_endpoint(organisation_id=made.id, url=url, actor=TESTER)
    return made


def emit_event(owner: Organisation, event_type: str = "withdrawal.created") -> Event:
    event_id = emit(
        organisation_id=owner.id,
        event_type=event_type,
        subject_id=uuid7(),
        data='{"amount":90.02,"name":"Zoë"}',
    )
    return Event.objects.get(id=event_id)


def exhaust_attempts(event: Event) -> Event:
    """Set the event to its state after the last failed attempt."""
    event.deliveries.update(status="Exhausted", attempts=10, next_attempt_at=None)
    # One without an endpoint, of the previous release.
    Event.objects.filter(id=event.id).update(status="Exhausted", attempts=10)
    event.refresh_from_db()
    return event


def make_due(event: Event) -> None:
    """Make the event's next attempt due now."""
    event.deliveries.update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def expire_lease(event: Event) -> None:
    past = timezone.now() - timedelta(seconds=1)
    event.deliveries.update(next_attempt_at=past, leased_until=past)


def delivery_of(event: Event) -> EventDelivery:
    """Return the only delivery of the event."""
    return event.deliveries.get()


def event_state(event: Event) -> tuple[str, int]:
    event.refresh_from_db()
    return event.status, event.attempts


def attempt_history(event: Event) -> list[tuple[int, int | None]]:
    return list(event.delivery_attempts.order_by("number").values_list("number", "status_code"))


def seconds_to_next_attempt(event: Event) -> float:
    next_attempt_at = delivery_of(event).next_attempt_at
    assert next_attempt_at is not None
    return (next_attempt_at - timezone.now()).total_seconds()


def make_endpoint(
    owner: Organisation, *types: str, url: str = URL, enabled: bool = True
) -> WebhookEndpoint:
    return create_endpoint(
        organisation_id=owner.id, actor=TESTER, url=url, events=types or ["*"], enabled=enabled
    ).endpoint


def deliveries(event: Event) -> dict[UUID, tuple[str, int]]:
    rows = event.deliveries.values_list("endpoint_id", "status", "attempts")
    return {endpoint: (status, attempts) for endpoint, status, attempts in rows}


def delete_deliveries() -> None:
    """Leave events as a release without deliveries did."""
    with without_guards() as cursor:
        cursor.execute("DELETE FROM exchange_eventdelivery")
