"""The endpoint of the provider's webhooks: stores authentic ones once, expedites a status check.

The sandbox may still send webhooks of earlier tests to the live service on this database, so every
test looks only at its own payout and its own webhooks.
"""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.environment.processes import wait_until
from tests.factories.wallets import (
    assert_books_hold,
    make_approved_withdrawal,
    make_wallet,
    store_bank_list,
)
from wallets.providers.models import ProviderEvent
from wallets.withdrawals.models import Payout, Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/hooks/flutterwave"
HASH = "tests-webhook-hash"


def encode(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def stored_events(body: Any) -> list[ProviderEvent]:
    """Return the stored events with this body."""
    digest = hashlib.sha256(encode(body)).hexdigest()
    return list(ProviderEvent.objects.filter(digest=digest))


def send(body: Any, secret: str | None = HASH, **more: Any) -> Any:
    raw = encode(body)
    headers = {} if secret is None else {"verif-hash": secret}
    client = Client(enforce_csrf_checks=True)
    return client.post(PATH, raw, content_type="application/json", headers=headers, **more)


def event_of(reference: str, status: str = "SUCCESSFUL") -> dict[str, Any]:
    return {
        "event": "transfer.completed",
        "event.type": "Transfer",
        "data": {"id": 26251, "reference": reference, "status": status, "amount": 470},
    }


@pytest.fixture
def approved() -> Withdrawal:
    """An approved withdrawal whose next step is an hour away."""
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    later = timezone.now() + timedelta(hours=1)
    assert Payout.objects.filter(withdrawal=withdrawal).update(next_step_at=later) == 1
    return withdrawal


def test_an_authentic_webhook_only_expedites_the_status_check(approved, task_notifications):
    body = event_of(approved.reference)
    response = send(body)
    assert response.status_code == 200
    assert response.json() == {"status": "success"}
    payout = Payout.objects.get(withdrawal=approved)
    assert payout.next_step_at is not None
    assert payout.next_step_at <= timezone.now()
    wait_until(lambda: task_notifications == ["wallets.tasks.sweep_payouts"], "payouts are swept")
    approved.refresh_from_db()
    assert approved.status == "Approved"
    (event,) = stored_events(body)
    assert (event.reference, event.provider_id, event.deliveries) == (
        approved.reference,
        "26251",
        1,
    )
    assert_books_hold()


def test_a_duplicate_is_stored_once_and_counted(approved):
    body = event_of(approved.reference)
    for _ in range(3):
        assert send(body).status_code == 200
    assert [event.deliveries for event in stored_events(body)] == [3]
    assert ProviderEvent.objects.filter(reference=approved.reference).count() == 1


@pytest.mark.parametrize("secret", [None, "", "wrong", HASH + "x", HASH[:-1], "é"])
def test_a_forged_webhook_is_a_401_and_is_not_stored(approved, secret):
    before = Payout.objects.get(withdrawal=approved).next_step_at
    response = send(event_of(approved.reference, "FAILED"), secret=secret)
    assert response.status_code == 401
    assert response.json() == {"status": "failed", "message": "The webhook is not authentic"}
    assert not ProviderEvent.objects.filter(reference=approved.reference).exists()
    assert Payout.objects.get(withdrawal=approved).next_step_at == before


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"data": 5}', b'{"data": {"reference": []}}']
)
def test_an_authentic_body_without_content_is_accepted(body):
    assert send(body).status_code == 200


def test_an_unknown_reference_is_accepted_and_stored():
    body = event_of("payout_nobody")
    assert send(body).status_code == 200
    assert [event.reference for event in stored_events(body)] == ["payout_nobody"]


def test_the_first_8_kib_of_a_webhook_are_stored_as_text():
    body = b"\xff" + b"x" * 8000 + b"\x00" + b"y" * 9000
    assert send(body).status_code == 200
    (event,) = stored_events(body)
    assert event.body == body[: 8 * 1024].decode("utf-8", "replace").replace("\x00", "")
    assert (len(event.body), str(event)) == (8 * 1024 - 1, event.digest[:12])


def test_a_webhook_is_named_by_its_reference(approved):
    body = event_of(approved.reference)
    send(body)
    (event,) = stored_events(body)
    assert str(event) == approved.reference


def test_a_body_beyond_64_kib_is_a_413():
    assert send(b"x" * 65536).status_code == 200
    response = send(b"x" * 65537)
    assert response.status_code == 413
    assert (len(stored_events(b"x" * 65536)), stored_events(b"x" * 65537)) == (1, [])


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_only_post_is_accepted(method):
    assert getattr(Client(), method)(PATH).status_code == 405
