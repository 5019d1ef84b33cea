"""Webhooks to the merchant: bodies, and delivery with the documented retries.

Any status but 200 is a failure; up to three retries follow at a fixed interval. Stored rows are
the queue, so a killed sandbox delivers again: duplicates happen, as with the real provider.
"""

import json
import threading
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import requests

from config.local.sandbox.collection_records import transaction_record
from config.local.sandbox.database import (
    DueWebhook,
    OutgoingWebhook,
    Row,
    SandboxDatabase,
)
from config.local.sandbox.faults import WEBHOOK_KINDS, Fault, FaultScript, RequestTraits
from config.local.sandbox.options import SandboxOptions
from config.local.sandbox.store import rest_record

_ATTEMPTS = 4
_WORKERS = 4
# What a forgery says.
_OPPOSITE = {
    "SUCCESSFUL": "FAILED",
    "FAILED": "SUCCESSFUL",
    "successful": "failed",
    "failed": "successful",
}
_encoder = msgspec.json.Encoder(decimal_format="number")


def transfer_event(row: Row) -> dict[str, Any]:
    """Return the webhook of a transfer's final state."""
    record = rest_record(row)
    data = {**record, "fullname": record["full_name"], "approver": None}
    del data["full_name"]
    return {"event": "transfer.completed", "event.type": "Transfer", "data": data}


def charge_event(row: Row) -> dict[str, Any]:
    """Return the webhook of a transaction's final state."""
    record = transaction_record(row)
    for key in ("amount_settled", "meta"):
        del record[key]
    return {"event": "charge.completed", "data": record}


class WebhookPlanner:
    """Plans the webhooks of a final state, including scripted faults."""

    def __init__(self, options: SandboxOptions, faults: FaultScript) -> None:
        self._url = options.webhook_url
        self._faults = faults

    def plan_transfer(self, row: Row) -> Sequence[OutgoingWebhook]:
        """Return the webhooks of a transfer, to its own address if it has one."""
        return self._plan(transfer_event(row), row["account_number"], row["callback_url"])

    def plan_charge(self, row: Row) -> Sequence[OutgoingWebhook]:
        """Return the webhooks of a transaction; the payment itself may name their fault."""
        return self._plan(charge_event(row), row["account_number"], **json.loads(row["webhook"]))

    def _plan(
        self, event: dict[str, Any], account: str, url: str = "", kind: str = "", delay: float = 0
    ) -> Sequence[OutgoingWebhook]:
        url = url or self._url
        data = event["data"]
        reference = "tx_ref" if "tx_ref" in data else "reference"
        traits = RequestTraits(reference=data[reference], account=account)
        fault = self._faults.take(WEBHOOK_KINDS, traits) or Fault(kind)
        if not url or fault.fault == "no_webhook":
            return []
        if fault.fault == "tampered_webhook":
            event = event | {"data": data | {"amount": data["amount"] * 10}}
        if fault.fault == "misdirected_webhook":
            event = event | {"data": data | {reference: data[reference] + "-other"}}
        delay = max(fault.seconds or 0, delay)
        notification = OutgoingWebhook(url, _encoder.encode(event).decode(), delay=delay)
        if fault.fault == "duplicate_webhook":
            return [notification, notification]
        if fault.fault == "forged_webhook":
            opposite = {"status": _OPPOSITE[data["status"]]}
            body = _encoder.encode(event | {"data": data | opposite}).decode()
            return [OutgoingWebhook(url, body, forged=True), notification]
        return [notification]


class WebhookSender:
    """Delivers stored webhooks with a few threads."""

    def __init__(self, options: SandboxOptions, store: SandboxDatabase) -> None:
        self._options = options
        self._store = store
        self._changed = threading.Condition()
        self._busy: set[int] = set()
        self._stopping = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(_WORKERS)]

    def start(self) -> None:
        """Start the delivery threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Start no further delivery; a running one may end unrecorded."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def notify(self) -> None:
        """Wake the threads after a change of the store."""
        with self._changed:
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            webhook = self._next()
            if webhook is None:
                return
            delivered = self._deliver(webhook)
            with self._changed:
                if not self._stopping:
                    self._record_attempt(webhook, delivered=delivered)
                self._busy.discard(webhook.id)
                self._changed.notify_all()

    def _next(self) -> DueWebhook | None:
        with self._changed:
            while not self._stopping:
                due = self._store.due_webhook(self._busy)
                if isinstance(due, DueWebhook):
                    self._busy.add(due.id)
                    return due
                self._changed.wait(due)
        return None

    def _record_attempt(self, webhook: DueWebhook, *, delivered: bool) -> None:
        if delivered:
            state = "delivered"
        else:
            state = "waiting" if webhook.attempts + 1 < _ATTEMPTS else "given_up"
        next_at = time.time() + self._options.webhook_retry_seconds
        self._store.record_webhook_attempt(webhook.id, state=state, next_at=next_at)

    def _deliver(self, webhook: DueWebhook) -> bool:
        sent_hash = "forged" if webhook.forged else self._options.webhook_hash
        try:
            with requests.Session() as session:
                session.trust_env = False  # no proxy from the environment
                response = session.post(
                    webhook.url,
                    data=webhook.body,
                    headers={"Content-Type": "application/json", "verif-hash": sent_hash},
                    timeout=self._options.webhook_timeout,
                    allow_redirects=False,
                    stream=True,
                )
        except (requests.RequestException, OSError, ValueError):
            return False
        return response.status_code == 200
