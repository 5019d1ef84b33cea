"""Storage of the provider's webhooks, and the withdrawal each one has checked."""

import hashlib
import json
from typing import Any

import pytest

from config.provider_webhooks import RECEIVERS
from exchange.core.errors import Forbidden
from tests.factories.wallets import make_approved_withdrawal, make_wallet, store_bank_list
from wallets.deposits.models import Payment
from wallets.deposits.services.payments import SWEEP_DEPOSITS
from wallets.providers.models import ProviderEvent
from wallets.providers.services import receive_webhook
from wallets.withdrawals.services.transitions import SWEEP_PAYOUTS

pytestmark = pytest.mark.django_db

HEADERS = {"Verif-Hash": "tests-webhook-hash"}


def body_of(**data: Any) -> bytes:
    return json.dumps({"event": "transfer.completed", "data": data}).encode()


def stored_events(body: bytes) -> tuple[Any, ...]:
    event = ProviderEvent.objects.get(digest=hashlib.sha256(body).hexdigest())
    return (event.reference, event.provider_id, event.body, event.deliveries)


def test_a_webhook_is_stored_once_and_names_the_withdrawal_to_check():
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    body = body_of(reference=withdrawal.reference, id=26251)
    for seen in (1, 2, 3):
        assert receive_webhook(RECEIVERS, headers=HEADERS, body=body) == SWEEP_PAYOUTS
        assert stored_events(body) == (withdrawal.reference, "26251", body.decode(), seen)


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
def test_a_webhook_with_an_unknown_reference_is_stored_and_checks_nothing(
    data, reference, provider_id
):
    body = body_of(**data)
    assert receive_webhook(RECEIVERS, headers=HEADERS, body=body) is None
    assert stored_events(body) == (reference, provider_id, body.decode(), 1)


def test_a_webhook_of_a_payment_is_stored_and_looks_it_up_and_no_withdrawal():
    store_bank_list()
    reference = make_approved_withdrawal(make_wallet(1000)).reference
    event = {"event": "charge.completed", "data": {"id": 7, "tx_ref": reference}}
    body = json.dumps(event | {"reference": reference}).encode()
    assert receive_webhook(RECEIVERS, headers=HEADERS, body=body) == SWEEP_DEPOSITS
    due = Payment.objects.filter(next_lookup_at__isnull=False)
    assert list(due.values_list("transaction_id", "tx_ref")) == [(7, reference)]
    assert stored_events(body) == (reference, "7", body.decode(), 1)


def test_the_first_8_kib_of_a_long_webhook_are_stored_as_text():
    body = b"\xff" + b"x" * 8190 + b"\x00y" + b"z" * 9000
    assert receive_webhook(RECEIVERS, headers=HEADERS, body=body) is None
    assert stored_events(body) == ("", "", "\ufffd" + "x" * 8190, 1)


def test_a_webhook_with_a_wrong_secret_is_rejected_and_not_stored():
    body = body_of(id=7)
    with pytest.raises(Forbidden) as error:
        receive_webhook(RECEIVERS, headers={"Verif-Hash": "wrong"}, body=body)
    assert (error.value.code, error.value.message) == (
        "webhook_not_authentic",
        "The webhook is not authentic",
    )
    # The sandbox of another test may still send its own webhooks.
    assert not ProviderEvent.objects.filter(digest=hashlib.sha256(body).hexdigest()).exists()
