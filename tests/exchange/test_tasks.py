"""The tasks of the exchange do what their services do, under the names that beat uses."""

from __future__ import annotations

from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from exchange import tasks
from exchange.ids import uuid7
from exchange.models import Event, IdempotencyRecord, Organisation
from exchange.services.events import emit
from exchange.services.webhook_endpoints import set_endpoint
from tests.environment.webhook_receiver import Receiver
from tests.factories.api_clients import TESTER, make_caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "name",
    [
        "exchange.tasks.deliver_events",
        "exchange.tasks.purge_idempotency_keys",
        "exchange.tasks.purge_access_tokens",
    ],
)
def test_the_task_is_registered_under_its_name(name: str) -> None:
    assert name in current_app.tasks


def test_the_delivery_task_delivers_what_is_due(receiver: Receiver) -> None:
    owner = Organisation.objects.create(name="Acme")
    set_endpoint(organisation_id=owner.id, url=receiver.url, actor=TESTER)
    emit(organisation_id=owner.id, event_type="webhook.test", subject_id=uuid7(), data="{}")
    tasks.deliver_events()
    assert len(receiver.received) == 1
    assert Event.objects.get().status == "Delivered"


def test_stored_answers_go_after_a_day_and_not_before() -> None:
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
    tasks.purge_idempotency_keys()
    assert set(IdempotencyRecord.objects.values_list("key", flat=True)) == {"new", "young"}


@pytest.mark.urls("tests.environment.api_urls")
def test_access_tokens_go_a_day_after_they_expired() -> None:
    caller = make_caller()
    model = get_access_token_model()
    token = model.objects.get()
    model.objects.update(expires=timezone.now() - timedelta(hours=23))
    tasks.purge_access_tokens()
    assert model.objects.get().pk == token.pk
    model.objects.update(expires=timezone.now() - timedelta(hours=25))
    tasks.purge_access_tokens()
    assert model.objects.count() == 0
    assert caller.get("/v1/api/members").status_code == 401
