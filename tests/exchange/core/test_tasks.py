"""Tasks of the exchange call their services under their scheduled names."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import count
from threading import BoundedSemaphore
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from django.db import transaction
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from config.back_office.exports import SOURCES
from config.back_office.roles import AUDITOR
from exchange.core import tasks as core_tasks
from exchange.core.ids import uuid7
from exchange.core.models import IdempotencyRecord
from exchange.events import tasks as events_tasks
from exchange.events.models import Event
from exchange.events.services import claims, deliveries
from exchange.events.services.endpoints import set_endpoint
from exchange.events.services.outbox import emit
from exchange.exports import tasks as exports_tasks
from exchange.exports.models import Export, ExportStatus
from exchange.exports.sheets import SheetColumn
from exchange.exports.sources import Source
from exchange.participants import tasks as participants_tasks
from exchange.participants.models import Organisation
from exchange.staff import tasks as staff_tasks
from exchange.staff.models import SignInAttempts
from tests.environment.webhook_receiver import Receiver
from tests.factories.api_clients import TESTER, make_caller
from tests.factories.events import emit_event, event_state, make_organisation_with_endpoint
from tests.factories.logins import create_login_user

pytestmark = pytest.mark.django_db(transaction=True)
quickly = pytest.mark.django_db


@contextmanager
def occupied(places: BoundedSemaphore, number: int) -> Iterator[None]:
    """Occupy the slots of `count` runs of the process."""
    with ExitStack() as stack:
        for _ in range(number):
            assert places.acquire(blocking=False)
            stack.callback(places.release)
        yield


def unsent_by_a_run() -> bool:
    """Return whether the task processes an event: to a disabled endpoint, it becomes Unsent."""
    organisation = make_organisation_with_endpoint("https://hooks.example.com/x")
    event = emit_event(organisation)
    assert event_state(event) == ("Pending", 0)
    organisation.webhook_endpoints.update(enabled=False)
    events_tasks.deliver_events()
    return event_state(event) == ("Unsent", 0)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (events_tasks, "deliver_events"),
        (core_tasks, "purge_idempotency_keys"),
        (participants_tasks, "purge_access_tokens"),
        (staff_tasks, "purge_sign_in_attempts"),
        (exports_tasks, "write_exports"),
        (exports_tasks, "purge_exports"),
    ],
)
def test_the_task_is_registered_under_its_name(module: Any, name: str) -> None:
    assert getattr(module, name).name == f"exchange.tasks.{name}"
    assert f"exchange.tasks.{name}" in current_app.tasks


@quickly
def test_two_deliveries_run_at_a_time_and_a_third_returns_immediately() -> None:
    # A finished run has freed its slot.
    assert all(unsent_by_a_run() for _ in range(3))
    with occupied(events_tasks._run_slots, 1):
        assert unsent_by_a_run()
    with occupied(events_tasks._run_slots, 2):
        assert not unsent_by_a_run()


@quickly
def test_a_failed_run_frees_its_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(claims, "_CLAIM_DUE", "no SQL")
        for _ in range(3):
            with pytest.raises(Exception, match="syntax error"), transaction.atomic():
                events_tasks.deliver_events()
    assert unsent_by_a_run()


@quickly
def test_another_run_is_requested_when_one_was_not_enough(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    for seconds, hints in ((0, 0), (100, 1)):
        # A clock that advances by so many seconds between two readings.
        ticks = count(step=seconds)
        clock = SimpleNamespace(monotonic=lambda ticks=ticks: next(ticks))
        monkeypatch.setattr(deliveries, "time", clock)
        with django_capture_on_commit_callbacks() as hinted:
            events_tasks.deliver_events()
        assert len(hinted) == hints


def test_exports_are_written_one_at_a_time_until_none_is_pending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = Source(
        name="tests.organisation", title="All", permission="exchange.view_organisation",
        columns=[SheetColumn("Name", lambda row: row.name)],
        select=lambda *_: (Organisation.objects.order_by("name"), ""),
        records=lambda rows, *_: iter(rows),
    )  # fmt: skip
    monkeypatch.setitem(SOURCES, source.name, source)
    user = create_login_user(AUDITOR)
    for _ in range(2):
        Export.objects.create(
            source=source.name, title="All", form="csv", file_name="x.csv", requested_by=user,
            about_rows=0, created_at=timezone.now(),
        )  # fmt: skip
    with occupied(exports_tasks._run_slot, 1):
        assert exports_tasks.write_exports() == 0
    assert set(Export.objects.values_list("status", flat=True)) == {"Waiting"}
    assert exports_tasks.write_exports() == 2
    assert set(Export.objects.values_list("status", flat=True)) == {"Ready"}
    assert exports_tasks.write_exports() == 0


@quickly
def test_expired_rows_are_purged_by_their_task() -> None:
    past = timezone.now() - timedelta(days=400)
    SignInAttempts.objects.create(key="k", attempts=1, ends_at=past)
    export = Export.objects.create(
        source="x", title="All", form="csv", file_name="x.csv",
        requested_by=create_login_user(AUDITOR),
        about_rows=0, created_at=past, finished_at=past, status=ExportStatus.READY,
    )  # fmt: skip
    staff_tasks.purge_sign_in_attempts()
    assert not SignInAttempts.objects.exists()
    exports_tasks.purge_exports()
    export.refresh_from_db()
    assert export.status == "Removed"


def test_the_delivery_task_delivers_what_is_due(receiver: Receiver) -> None:
    owner = Organisation.objects.create(name="Acme")
    set_endpoint(organisation_id=owner.id, url=receiver.url, actor=TESTER)
    emit(organisation_id=owner.id, event_type="order.created", subject_id=uuid7(), data="{}")
    events_tasks.deliver_events()
    assert len(receiver.received) == 1
    assert Event.objects.get().status == "Delivered"


def test_stored_responses_are_purged_after_a_day() -> None:
    owner = Organisation.objects.create(name="Acme")
    now = timezone.now()
    ages = {"new": timedelta(0), "young": timedelta(hours=23, minutes=59)}
    ages |= {f"old {n}": timedelta(hours=24, seconds=1) for n in range(1005)}
    IdempotencyRecord.objects.bulk_create(
        IdempotencyRecord(
            organisation=owner,
            method="POST",
            path="/v1/x",
            key=key,
            body_hash="0" * 64,
            created_at=now - age,
        )
        for key, age in ages.items()
    )
    core_tasks.purge_idempotency_keys()
    assert set(IdempotencyRecord.objects.values_list("key", flat=True)) == {"new", "young"}


@pytest.mark.urls("tests.environment.api_urls")
def test_access_tokens_are_purged_a_day_after_expiry() -> None:
    caller = make_caller()
    model = get_access_token_model()
    token = model.objects.get()
    model.objects.update(expires=timezone.now() - timedelta(hours=23))
    participants_tasks.purge_access_tokens()
    assert model.objects.get().pk == token.pk
    model.objects.update(expires=timezone.now() - timedelta(hours=25))
    participants_tasks.purge_access_tokens()
    assert model.objects.count() == 0
    assert caller.get("/v1/api/members").status_code == 401
