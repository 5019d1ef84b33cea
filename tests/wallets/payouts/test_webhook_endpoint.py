"""The provider's webhooks: authentic ones are kept once and only hint at a look-up.

The run's service shares this database, and the sandbox still sends it hooks of tests that are over.
So every test looks at what is its own: its payout, and what it sent itself.
"""

from __future__ import annotations

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
from wallets.payouts.models import ProviderEvent
from wallets.withdrawals.models import Payout, Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/hooks/flutterwave"
HASH = "tests-webhook-hash"


def written(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def kept(body: Any) -> list[ProviderEvent]:
    """What was kept of this body, whoever else sends hooks meanwhile."""
    digest = hashlib.sha256(written(body)).hexdigest()
    return list(ProviderEvent.objects.filter(digest=digest))


def send(body: Any, secret: str | None = HASH, **more: Any) -> Any:
    raw = written(body)
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
def paying() -> Withdrawal:
    """An approved withdrawal whose next step is an hour away."""
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    later = timezone.now() + timedelta(hours=1)
    assert Payout.objects.filter(withdrawal=withdrawal).update(next_step_at=later) == 1
    return withdrawal


def test_an_authentic_webhook_brings_the_look_up_forward_and_changes_nothing_else(
    paying, task_notifications
):
    body = event_of(paying.reference)
    response = send(body)
    assert response.status_code == 200
    assert response.json() == {"status": "success"}
    payout = Payout.objects.get(withdrawal=paying)
    assert payout.next_step_at is not None
    assert payout.next_step_at <= timezone.now()
    wait_until(lambda: task_notifications == ["wallets.tasks.sweep_payouts"], "payouts are swept")
    paying.refresh_from_db()
    assert paying.status == "Approved"
    (event,) = kept(body)
    assert (event.reference, event.provider_id, event.deliveries) == (paying.reference, "26251", 1)
    assert_books_hold()


def test_a_duplicate_is_kept_once_and_counted(paying):
    body = event_of(paying.reference)
    for _ in range(3):
        assert send(body).status_code == 200
    assert [event.deliveries for event in kept(body)] == [3]
    assert ProviderEvent.objects.filter(reference=paying.reference).count() == 1


@pytest.mark.parametrize("secret", [None, "", "wrong", HASH + "x", HASH[:-1], "é"])
def test_a_forged_webhook_is_a_401_and_leaves_nothing(paying, secret):
    before = Payout.objects.get(withdrawal=paying).next_step_at
    response = send(event_of(paying.reference, "FAILED"), secret=secret)
    assert response.status_code == 401
    assert response.json() == {"status": "failed", "message": "The webhook is not authentic"}
    assert not ProviderEvent.objects.filter(reference=paying.reference).exists()
    assert Payout.objects.get(withdrawal=paying).next_step_at == before


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"data": 5}', b'{"data": {"reference": []}}']
)
def test_an_authentic_body_that_says_nothing_is_still_taken(body):
    assert send(body).status_code == 200


def test_a_reference_of_nobody_is_taken_and_moves_nothing():
    body = event_of("payout_nobody")
    assert send(body).status_code == 200
    assert [event.reference for event in kept(body)] == ["payout_nobody"]


def test_the_first_8_kib_of_a_webhook_are_kept_as_text():
    body = b"\xff" + b"x" * 8000 + b"\x00" + b"y" * 9000
    assert send(body).status_code == 200
    (event,) = kept(body)
    assert event.body == body[: 8 * 1024].decode("utf-8", "replace").replace("\x00", "")
    assert (len(event.body), str(event)) == (8 * 1024 - 1, event.digest[:12])


def test_a_webhook_is_called_by_the_reference_in_it(paying):
    body = event_of(paying.reference)
    send(body)
    (event,) = kept(body)
    assert str(event) == paying.reference


def test_a_body_beyond_64_kib_is_a_413():
    assert send(b"x" * 65536).status_code == 200
    response = send(b"x" * 65537)
    assert response.status_code == 413
    assert (len(kept(b"x" * 65536)), kept(b"x" * 65537)) == (1, [])


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_only_post_is_taken(method):
    assert getattr(Client(), method)(PATH).status_code == 405
