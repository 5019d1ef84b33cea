"""An installation with one webhook endpoint and a history of events keeps both.

The release has one endpoint for an organisation, and delivers from the rows of events. Exchange
migration 0007 gives what is finished its deliveries, and leaves what is pending to both releases.
"""

from importlib import import_module
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

from exchange.events.models import DeliveryAttempt, Event, EventDelivery, WebhookEndpoint
from exchange.events.services.claims import adopt_events
from tests.environment.database import Connection

pytestmark = pytest.mark.slow

_ENDPOINTS = "SELECT id, organisation_id, url, secret, enabled, created_at FROM {} ORDER BY id"
_EVENTS = (
    "SELECT id, status, attempts, delivered_at, next_attempt_at, organisation_id"
    " FROM exchange_event WHERE organisation_id {}"
    " (SELECT organisation_id FROM exchange_webhookendpoint) ORDER BY id"
)
_ATTEMPTS = (
    "SELECT id, event_id, number, url, status_code FROM exchange_deliveryattempt ORDER BY id"
)


def rows(process: Connection, statement: str) -> list[tuple[Any, ...]]:
    found = process.execute(statement).fetchall()
    process.commit()
    return found


def prepare(owner: Connection) -> None:
    """Give the events of the endpoint every status, with a due and a later attempt."""
    owner.execute(
        """
        WITH numbered AS (
            SELECT e.id, row_number() OVER (ORDER BY e.id) AS n
            FROM exchange_event e JOIN exchange_webhookendpoint USING (organisation_id)
        )
        UPDATE exchange_event e
        SET status = (ARRAY['Delivered', 'Exhausted', 'Unsent', 'Pending', 'Pending'])[1 + n % 5],
            attempts = (ARRAY[1, 10, 0, 0, 2])[1 + n % 5],
            delivered_at = CASE WHEN n % 5 = 0 THEN e.created_at + interval '1 second' END,
            next_attempt_at = CASE n % 5 WHEN 3 THEN now() - interval '1 minute'
                                         WHEN 4 THEN now() + interval '1 day' END,
            leased_until = NULL
        FROM numbered WHERE numbered.id = e.id
        """
    )


def add_deliveries() -> None:
    migration = import_module("exchange.migrations.0007_webhook_endpoints")
    with connections["owner"].schema_editor(atomic=False) as editor:
        migration.add_deliveries(None, editor)


def deliveries() -> list[tuple[Any, ...]]:
    names = ("event_id", "endpoint_id", "status", "attempts", "delivered_at", "next_attempt_at")
    return list(EventDelivery.objects.order_by("event_id").values_list(*names))


def test_one_endpoint_and_its_history_are_kept(release: Connection) -> None:
    with connections["owner"].cursor() as cursor:
        prepare(cursor.connection)
    before = rows(release, _ENDPOINTS.format("exchange_webhookendpoint"))
    events, others = rows(release, _EVENTS.format("IN")), rows(release, _EVENTS.format("NOT IN"))
    attempts = rows(release, _ATTEMPTS)
    endpoints = {organisation: endpoint for endpoint, organisation, *_ in before}
    assert len(endpoints) == len(before) > 0
    assert {status for _, status, *_ in events} == {"Delivered", "Exhausted", "Unsent", "Pending"}
    assert len(attempts) > 0

    call_command("migrate", verbosity=0, interactive=False, database="owner")

    assert rows(release, _ENDPOINTS.format("exchange_webhookendpoint")) == before
    for kept in WebhookEndpoint.objects.all():
        assert (kept.events, kept.description, kept.failed_attempts, kept.failing_since) == (
            ["*"], "", 0, None,
        )  # fmt: skip
    finished = [
        (event, endpoints[organisation], status, count, delivered, None)
        for event, status, count, delivered, _, organisation in events
        if status != "Pending"
    ]
    assert deliveries() == finished
    # Events are as they were, with the next attempts of the previous release.
    assert rows(release, _EVENTS.format("IN")) == events
    assert rows(release, _EVENTS.format("NOT IN")) == others
    assert rows(release, _ATTEMPTS) == attempts
    assert set(DeliveryAttempt.objects.values_list("endpoint", flat=True)) == {None}

    # A killed migration is repeated.
    EventDelivery.objects.using("owner").filter(event=finished[0][0]).delete()
    add_deliveries()
    assert deliveries() == finished

    # What is due is taken over; what is due later waits with the previous release.
    adopt_events()
    due, later = (
        {(row[0], endpoints[row[-1]]) for row in events if row[1:3] == ("Pending", count)}
        for count in (0, 2)
    )
    assert due
    assert later
    pending = EventDelivery.objects.filter(status="Pending")
    assert set(pending.values_list("event_id", "endpoint_id")) == due
    left = Event.objects.filter(status="Pending").exclude(deliveries__status="Pending")
    assert {
        (each, endpoints[of]) for each, of in left.values_list("id", "organisation_id")
    } == later
