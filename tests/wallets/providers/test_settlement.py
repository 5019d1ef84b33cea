"""Outcomes, returns and webhooks of the sandbox, as the client and a merchant's server see them."""

import json
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import requests

from tests.wallets.providers.harness import (
    SECRET_KEY,
    WEBHOOK_HASH,
    client_of,
    record_of,
    request_of,
)
from wallets.providers.base import TransferStatus, WebhookNotification
from wallets.providers.flutterwave.fields import decode, encode
from wallets.providers.flutterwave.wire import write_transfer

WEBHOOK_KEYS = {
    "id",
    "account_number",
    "bank_name",
    "bank_code",
    "fullname",
    "created_at",
    "currency",
    "debit_currency",
    "amount",
    "fee",
    "status",
    "reference",
    "meta",
    "narration",
    "approver",
    "complete_message",
    "requires_approval",
    "is_approved",
}


class Merchant:
    """A webhook server that responds with the given statuses, then always 200."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.responses: list[int] = []
        merchant = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                merchant.received.append((dict(self.headers), body))
                self.send_response(merchant.responses.pop(0) if merchant.responses else 200)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hooks/flutterwave"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def wait_for(self, count: int) -> list[tuple[dict[str, str], bytes]]:
        wait_until(lambda: len(self.received) >= count)
        time.sleep(0.2)
        assert len(self.received) == count
        return self.received

    def statuses(self) -> list[str]:
        return [json.loads(body)["data"]["status"] for _, body in self.received]


def wait_until(condition, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


@pytest.fixture
def merchant() -> Iterator[Merchant]:
    merchant = Merchant()
    yield merchant
    merchant.server.shutdown()
    merchant.server.server_close()


@pytest.fixture
def sandbox(start_sandbox, merchant):
    return start_sandbox(webhook_url=merchant.url, webhook_retry_seconds=0.1)


def test_a_transfer_goes_from_new_over_pending_to_successful(start_sandbox):
    sandbox = start_sandbox(delay=0.6)
    client = client_of(sandbox)
    seen = [client.transfer(request_of()).status]
    deadline = time.monotonic() + 10
    while seen[-1] is not TransferStatus.SUCCESSFUL:
        assert time.monotonic() < deadline
        status = record_of(client).status
        if status is not seen[-1]:
            seen.append(status)
        time.sleep(0.02)
    assert seen == [TransferStatus.NEW, TransferStatus.PENDING, TransferStatus.SUCCESSFUL]


def test_the_failing_account_fails_with_a_reason_and_gives_the_money_back(client, sandbox):
    before = sandbox.control("GET", "float")
    client.transfer(request_of(account_number="0690000037"))
    sandbox.control("POST", "settle")
    record = client.find_transfer("payout_a")
    assert record.status is TransferStatus.FAILED
    assert record.complete_message.startswith("DISBURSE FAILED: ")
    assert sandbox.control("GET", "float") == before


@pytest.mark.parametrize(
    ("reference", "account_number", "status"),
    [
        ("a_PMCK", "0690000037", TransferStatus.SUCCESSFUL),
        ("a_PMCK_ST_F", "0690000031", TransferStatus.FAILED),
    ],
)
def test_a_suffix_of_the_reference_outweighs_the_account(
    client, sandbox, reference, account_number, status
):
    client.transfer(request_of(reference, account_number=account_number))
    sandbox.control("POST", "settle", reference=reference)
    assert record_of(client, reference).status is status


def test_the_returned_account_succeeds_and_later_the_bank_returns_the_money(
    start_sandbox, merchant
):
    sandbox = start_sandbox(delay=0.1, return_delay=0.7, webhook_url=merchant.url)
    client = client_of(sandbox)
    client.transfer(request_of(account_number="0690000038"))
    wait_until(lambda: record_of(client).status is TransferStatus.SUCCESSFUL)
    charged = Decimal(10) ** 12 - Decimal("90.02") - Decimal("10.75")
    assert sandbox.control("GET", "float")["NGN"] == charged
    wait_until(lambda: record_of(client).status is TransferStatus.FAILED)
    assert "returned by the beneficiary bank" in record_of(client).complete_message
    assert sandbox.control("GET", "float")["NGN"] == charged + Decimal("90.02")
    merchant.wait_for(2)
    assert merchant.statuses() == ["SUCCESSFUL", "FAILED"]


def test_a_successful_transfer_can_be_returned_on_demand(client, sandbox):
    client.transfer(request_of())
    sandbox.control("POST", "settle")
    assert sandbox.control("POST", "return", reference="payout_a") == {"returned": True}
    assert record_of(client).status is TransferStatus.FAILED


def test_a_webhook_has_the_documented_keys_and_the_hash(client, sandbox, merchant):
    record = client.transfer(request_of())
    sandbox.control("POST", "settle")
    [(headers, body)] = merchant.wait_for(1)
    event = json.loads(body, parse_float=Decimal)
    assert event["event"] == "transfer.completed"
    assert event["event.type"] == "Transfer"
    assert set(event["data"]) == WEBHOOK_KEYS
    assert event["data"]["amount"] == Decimal("90.02")
    assert event["data"]["fullname"] == "Forrest Green"
    assert client.verify_webhook(headers, body) == WebhookNotification(
        reference="payout_a", provider_id=record.provider_id
    )


def test_a_transfers_own_callback_url_is_notified_instead(sandbox, merchant):
    body = decode(write_transfer(request_of())) | {"callback_url": merchant.url + "/own"}
    key = {"Authorization": f"Bearer {SECRET_KEY}"}
    url = f"{sandbox.server.url}/v3/transfers"
    assert requests.post(url, data=encode(body), headers=key, timeout=10).ok
    sandbox.control("POST", "settle")
    merchant.wait_for(1)
    [webhook] = sandbox.control("GET", "webhooks")
    assert webhook["url"] == merchant.url + "/own"


@pytest.mark.parametrize(
    ("responses", "calls", "state"),
    [
        ([500, 201, 302], 4, "delivered"),
        ([500, 500, 500, 500], 4, "given_up"),
    ],
)
def test_anything_but_200_is_tried_again_three_times(
    client, sandbox, merchant, responses, calls, state
):
    merchant.responses = responses
    client.transfer(request_of())
    sandbox.control("POST", "settle")
    merchant.wait_for(calls)
    [webhook] = sandbox.control("GET", "webhooks")
    assert (webhook["attempts"], webhook["state"]) == (4, state)


def test_scripted_webhooks_come_twice_forged_or_not_at_all(client, sandbox, merchant):
    sandbox.fault("duplicate_webhook", {"reference": "payout_a"})
    sandbox.fault("forged_webhook", {"reference": "payout_b"})
    sandbox.fault("no_webhook", {"reference": "payout_c"})
    for reference in ("payout_a", "payout_b", "payout_c"):
        client.transfer(request_of(reference))
    sandbox.control("POST", "settle")
    received = merchant.wait_for(4)
    message: dict[str, list[tuple[str, bool]]] = {}
    for headers, body in received:
        data = json.loads(body)["data"]
        authentic = client.verify_webhook(headers, body) is not None
        message.setdefault(data["reference"], []).append((data["status"], authentic))
    assert message["payout_a"] == [("SUCCESSFUL", True), ("SUCCESSFUL", True)]
    assert sorted(message["payout_b"]) == [("FAILED", False), ("SUCCESSFUL", True)]
    assert "payout_c" not in message
    assert record_of(client, "payout_b").status is TransferStatus.SUCCESSFUL


BODY = b'{"data": {"id": 7, "reference": "payout_a"}}'


@pytest.mark.parametrize(
    "headers",
    [{}, {"verif-hash": ""}, {"verif-hash": WEBHOOK_HASH + "x"}, {"Verif-Hash": "\udcff\u20ac"}],
)
def test_a_webhook_without_the_right_hash_is_not_authentic(client, headers):
    assert client.verify_webhook(headers, BODY) is None


def test_during_a_change_both_hashes_are_authentic(sandbox):
    client = client_of(sandbox, webhook_hash=f"{WEBHOOK_HASH}, new-hash")
    for sent in (WEBHOOK_HASH, "new-hash"):
        assert client.verify_webhook({"verif-hash": sent}, BODY) is not None
    for sent in ("", ",", f"{WEBHOOK_HASH}, new-hash", "new"):
        assert client.verify_webhook({"verif-hash": sent}, BODY) is None


def test_a_client_without_a_configured_hash_rejects_every_webhook(sandbox):
    client = client_of(sandbox, webhook_hash="")
    assert client.verify_webhook({"verif-hash": ""}, BODY) is None
    assert client.verify_webhook({}, BODY) is None


@pytest.mark.parametrize(
    ("body", "notification"),
    [
        (BODY, WebhookNotification(reference="payout_a", provider_id="7")),
        (b'{"data": {"id": true, "reference": 7}}', WebhookNotification(None, None)),
        (b'{"data": []}', WebhookNotification(None, None)),
        (b"\xff", WebhookNotification(None, None)),
        (b"", WebhookNotification(None, None)),
        (b"[" * 100_000, WebhookNotification(None, None)),
    ],
)
@pytest.mark.one_in(3)
def test_an_authentic_webhook_names_a_transfer_if_readable(client, body, notification):
    assert client.verify_webhook({"VERIF-HASH": WEBHOOK_HASH}, body) == notification
