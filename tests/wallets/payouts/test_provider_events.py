"""What is kept of a provider's webhook, and which withdrawal it has looked up."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from exchange.core.errors import Forbidden
from tests.factories.wallets import make_approved_withdrawal, make_wallet, store_bank_list
from wallets.payouts.models import ProviderEvent
from wallets.payouts.services import provider_events

pytestmark = pytest.mark.django_db

HEADERS = {"Verif-Hash": "tests-webhook-hash"}


def body_of(**data: Any) -> bytes:
    return json.dumps({"event": "transfer.completed", "data": data}).encode()


def kept(body: bytes) -> tuple[Any, ...]:
    event = ProviderEvent.objects.get(digest=hashlib.sha256(body).hexdigest())
    return (event.reference, event.provider_id, event.body, event.deliveries)


def test_a_webhook_is_kept_once_and_names_the_withdrawal_to_look_up():
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    body = body_of(reference=withdrawal.reference, id=26251)
    for seen in (1, 2, 3):
        assert provider_events.receive_webhook(headers=HEADERS, body=body) == withdrawal.id
        assert kept(body) == (withdrawal.reference, "26251", body.decode(), seen)


@pytest.mark.parametrize(
    ("data", "reference", "provider_id"),
    [
        ({"id": 7}, "", "7"),
        ({"reference": "", "id": 7}, "", "7"),
        ({"reference": "payout_nobody"}, "payout_nobody", ""),
        ({"reference": "r" * 100, "id": 10**18 - 1}, "r" * 100, "9" * 18),
        ({"reference": "r" * 101, "id": 10**18}, "", ""),
    ],
    ids=["no reference", "an empty one", "no id", "long ones", "too long"],
)
def test_a_webhook_about_nothing_of_ours_is_kept_and_no_withdrawal_is_looked_up(
    data, reference, provider_id
):
    body = body_of(**data)
    assert provider_events.receive_webhook(headers=HEADERS, body=body) is None
    assert kept(body) == (reference, provider_id, body.decode(), 1)


def test_of_a_long_webhook_the_first_8_kib_are_kept_as_text():
    body = b"\xff" + b"x" * 8190 + b"\x00y" + b"z" * 9000
    assert provider_events.receive_webhook(headers=HEADERS, body=body) is None
    assert kept(body) == ("", "", "\ufffd" + "x" * 8190, 1)


def test_a_webhook_that_is_not_the_providers_is_refused_and_not_kept():
    body = body_of(id=7)
    with pytest.raises(Forbidden) as refused:
        provider_events.receive_webhook(headers={"Verif-Hash": "wrong"}, body=body)
    assert (refused.value.code, refused.value.message) == (
        "webhook_not_authentic",
        "The webhook is not authentic",
    )
    # A sandbox of another test may tell something of its own until it has stopped.
    assert not ProviderEvent.objects.filter(digest=hashlib.sha256(body).hexdigest()).exists()
