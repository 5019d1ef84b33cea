"""`kill -9` of a delivering process at the worst moment: no event is lost, ids stay the same."""

import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.ids import uuid7
from exchange.events.models import DeliveryAttempt, Event, EventDelivery
from exchange.events.services.deliveries import deliver_due
from exchange.events.services.endpoints import set_endpoint
from exchange.events.services.outbox import emit
from exchange.participants.models import Organisation
from tests.environment.database import server_url, worker_database
from tests.environment.processes import CHECKOUT
from tests.environment.webhook_receiver import Received, Receiver, Reply

pytestmark = pytest.mark.django_db(transaction=True)

EVENTS = 12
DELIVER = (
    "import django; django.setup(); from exchange.events.tasks import deliver_events as t; t()"
)


@pytest.fixture
def events(receiver: Receiver) -> set[str]:
    """Emit events of three organisations, due now; return their webhook ids."""
    event_ids = set()
    for name in ("One", "Two", "Three"):
        owner = Organisation.objects.create(name=name)
        set_endpoint(organisation_id=owner.id, url=receiver.url, actor=Actor.system("tests"))
        for _ in range(EVENTS // 3):
            event_id = emit(
                organisation_id=owner.id,
                event_type="withdrawal.created",
                subject_id=uuid7(),
                data="{}",
            )
            event_ids.add(str(event_id))
    return event_ids


def start_worker() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", DELIVER],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "TEST_DATABASE_URL": server_url(worker_database()),
        },
    )


def expire_leases() -> None:
    past = timezone.now() - timedelta(seconds=1)
    leased = EventDelivery.objects.filter(leased_until__isnull=False)
    leased.update(leased_until=past, next_attempt_at=past)


def test_a_worker_killed_between_request_and_record_loses_no_event(
    receiver: Receiver, events: set[str]
) -> None:
    worker: list[subprocess.Popen[bytes]] = []
    sent_ids: list[str] = []

    def kill_the_sender(request: Received) -> Reply:
        sent_ids.append(request.headers["webhook-id"])
        os.kill(worker[0].pid, signal.SIGKILL)
        return Reply()

    receiver.reply = kill_the_sender
    worker.append(start_worker())
    assert worker[0].wait(timeout=60) == -signal.SIGKILL
    assert sent_ids
    assert DeliveryAttempt.objects.count() == 0
    assert set(Event.objects.values_list("status", flat=True)) == {"Pending"}

    # Events in delivery are not claimed again before their leases expire.
    receiver.reply = Reply()
    leased = EventDelivery.objects.filter(leased_until__gt=timezone.now()).count()
    assert leased >= len(set(sent_ids))
    assert deliver_due().posted == EVENTS - leased
    expire_leases()
    assert deliver_due().posted == leased

    assert {request.headers["webhook-id"] for request in receiver.received} == events
    assert set(Event.objects.values_list("status", "attempts")) == {("Delivered", 1)}
    assert len({request.body for request in receiver.received}) == EVENTS


@pytest.mark.slow
def test_a_separate_process_delivers_everything_without_a_kill(
    receiver: Receiver, events: set[str]
) -> None:
    assert start_worker().wait(timeout=60) == 0
    assert sorted(r.headers["webhook-id"] for r in receiver.received) == sorted(events)
    assert set(Event.objects.values_list("status", "attempts")) == {("Delivered", 1)}
