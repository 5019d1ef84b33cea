"""Events have the body that the OpenAPI document declares for their type."""

import json

import pytest

from exchange.core.actors import Actor
from exchange.events.models import Event
from exchange.events.services.endpoints import send_test, set_endpoint
from tests.assertions.openapi import body_schema, schema_errors, webhooks
from tests.factories.api_clients import make_caller
from tests.factories.wallets import make_staff, make_wallet, store_bank_list
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


def invalid_events() -> dict[str, list[str]]:
    """Return what is wrong with each event, by its type."""
    found = {
        event.type: schema_errors(
            body_schema(webhooks()[event.type]["post"]["requestBody"]), json.loads(event.body)
        )
        for event in Event.objects.all()
    }
    return {event_type: errors for event_type, errors in found.items() if errors}


def test_a_withdrawal_before_and_after_its_decision():
    store_bank_list()
    wallet = make_wallet(10_000)
    caller = make_caller(organisation=wallet.organisation)
    rejected, cancelled = wallet.request(100), wallet.request(110)
    decisions.reject(
        withdrawal_id=rejected.id, version=1, approver=make_staff(), reason="Names differ"
    )
    assert caller.post(f"/v1/api/withdrawals/{cancelled.id}/cancel").status_code == 200
    assert sorted(Event.objects.values_list("type", flat=True)) == [
        "withdrawal.cancelled",
        "withdrawal.created",
        "withdrawal.created",
        "withdrawal.rejected",
    ]
    assert invalid_events() == {}


def test_a_test_event_by_staff_and_by_an_api_key():
    caller = make_caller()
    approver = make_staff()
    staff = Actor.staff(approver.pk, str(approver))
    set_endpoint(
        organisation_id=caller.organisation.id, url="https://hooks.example.com/x", actor=staff
    )
    send_test(organisation_id=caller.organisation.id, actor=staff)
    assert invalid_events() == {}
    assert caller.post("/v1/api/webhook/test").status_code in {200, 201, 202}
    assert invalid_events() == {}
