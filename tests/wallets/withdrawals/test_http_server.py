"""Withdrawals and the provider's webhooks over the real web server."""

import http.client
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import requests

from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.wallets import make_approved_withdrawal, make_wallet
from tests.factories.withdrawals import BANK, OPERATIONS, WithdrawalApi, body_of, store_bank_lists
from wallets.banks.services import clear_bank_cache
from wallets.providers.models import ProviderEvent

HEADERS = {"verif-hash": "tests-webhook-hash"}


@pytest.fixture
def api(transactional_db: None) -> Iterator[WithdrawalApi]:
    store_bank_lists()
    yield WithdrawalApi()
    clear_bank_cache()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_withdrawal_is_created_and_a_second_one_is_rejected(
    live_service, api: WithdrawalApi, operation
):
    api.fund(operation, "KES", "700")
    url = live_service.base_url + api.path(operation)
    responses = [
        requests.post(url, json=body_of(), headers=api.caller.headers, timeout=20) for _ in range(2)
    ]
    assert [response.status_code for response in responses] == [201, 400]
    assert responses[1].json() == {
        "status": "failed",
        "message": "Insufficient KES balance. Available: 200, requested: 500",
    }
    assert responses[1].headers["X-Error-Code"] == "insufficient_balance"


@pytest.mark.parametrize("text", ["%00", "a%00b", "%ff", "%2e%2e", "..%2f..", "%F0%9F%98%80"])
def test_malformed_ids_are_not_found(live_service, api: WithdrawalApi, text):
    address = urlsplit(live_service.base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    headers = {**api.caller.headers, "Content-Type": "application/json"}
    path = f"/v1/api/members/{text}/wallet/withdraw"
    with assert_nothing_changes():
        connection.request("POST", path, json.dumps(body_of()), headers)
        response = connection.getresponse()
        body = json.loads(response.read())
    connection.close()
    assert response.status == 404
    assert body["status"] == "failed"


@pytest.mark.parametrize("chunked", [False, True])
def test_a_webhook_is_read_in_full_chunked_or_not(live_service, api: WithdrawalApi, chunked):
    withdrawal = make_approved_withdrawal(make_wallet(1000), bank=BANK)
    raw = json.dumps({"data": {"id": 1, "reference": withdrawal.reference}}).encode()
    url = f"{live_service.base_url}/hooks/flutterwave"
    body = iter([raw[:10], raw[10:]]) if chunked else raw
    response = requests.post(url, data=body, headers=HEADERS, timeout=20)
    assert (response.status_code, response.json()) == (200, {"status": "success"})
    assert ProviderEvent.objects.get().reference == withdrawal.reference


@pytest.mark.parametrize("chunked", [False, True])
def test_a_webhook_beyond_the_limit_is_rejected_chunked_or_not(
    live_service, api: WithdrawalApi, chunked
):
    raw = b"x" * 70_000
    url = f"{live_service.base_url}/hooks/flutterwave"
    response = requests.post(url, data=iter([raw]) if chunked else raw, headers=HEADERS, timeout=20)
    assert response.status_code == 413
    assert not ProviderEvent.objects.exists()
