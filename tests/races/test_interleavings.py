"""Interleavings of two concurrent calls, with one paused at the critical moment."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from standardwebhooks import Webhook

from exchange.core.errors import Conflict
from exchange.core.idempotency import IdempotencyClaim, StoredResponse
from exchange.events.models import WebhookEndpoint
from exchange.events.services import endpoints as webhook_endpoints
from exchange.events.services.deliveries import deliver_due
from exchange.participants.models import ApiKey
from exchange.participants.services import api_keys as access
from tests.environment.concurrency import start_call
from tests.environment.database import server_url, worker_database
from tests.environment.processes import wait_until
from tests.environment.webhook_receiver import Receiver
from tests.environment.write_pause import WritePause
from tests.factories.api_clients import TESTER, make_caller
from tests.factories.events import emit_event, make_organisation_with_endpoint
from tests.factories.wallets import (
    BANK,
    assert_books_hold,
    make_member_wallet,
    make_wallet,
    store_bank_list,
)
from wallets.banks import services as banks
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)


# --- The first request of a key commits between two reads of the second one ----------------------


@pytest.mark.parametrize("make", [make_wallet, make_member_wallet])
def test_a_request_without_funds_because_of_the_first_under_its_key_returns_its_response(make):
    """The second request finds no response; then the first one takes the money and commits."""
    store_bank_list()
    # This process has cached no bank list, so the checks run in Python before the call.
    assert banks.find_cached_bank("KES", BANK) is None
    wallet = make(1500)
    claim = IdempotencyClaim(wallet.organisation.id, "POST", "/withdraw", "key", "hash")
    ask = partial(wallet.submit_request, 1000, claim=claim)
    first: list[StoredResponse] = []

    def let_the_first_commit(execute: Any, sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if "exchange_idempotencyrecord" in sql and not first:
            first.append(start_call(ask).result(60))
        return found

    with connection.execute_wrapper(let_the_first_commit):
        second = ask()
    (response,) = first
    assert not response.replayed
    assert second == replace(response, replayed=True)
    assert Withdrawal.objects.count() == 1
    assert wallet.kes == (500, 1000)
    assert_books_hold()


# --- Two rotations of one webhook secret ---------------------------------------------------------


def test_both_secrets_of_two_concurrent_rotations_sign_webhooks(receiver: Receiver):
    """The second rotation begins while the first one has not committed."""
    owner = make_organisation_with_endpoint(receiver.url)
    secrets: list[str] = []

    def rotate() -> None:
        try:
            secrets.append(
                webhook_endpoints.rotate_secret(organisation_id=owner.id, actor=TESTER)[1]
            )
        finally:
            connections.close_all()

    twice_at_once(rotate, "UPDATE", "exchange_webhookendpoint", "NEW.secret <> OLD.secret")
    assert len(set(secrets)) == 2
    endpoint = WebhookEndpoint.objects.get(organisation=owner)
    # Which thread runs on first after its commit is chance.
    assert {endpoint.previous_secret, endpoint.secret} == set(secrets)
    emit_event(owner)
    deliver_due()
    (request,) = receiver.received
    for secret in secrets:
        Webhook(secret).verify(request.body, request.headers)


# --- Two rotations of one API key ----------------------------------------------------------------


def test_only_one_of_two_concurrent_rotations_issues_a_key():
    """The second rotation begins while the first has issued its key but not committed."""
    key = make_caller().key
    made: list[ApiKey] = []
    refused: list[str] = []

    def rotate() -> None:
        try:
            made.append(
                access.rotate_api_key(key_id=key.id, overlap=timedelta(days=1), actor=TESTER)[0]
            )
        except Conflict as refusal:
            refused.append(refusal.message)
        finally:
            connections.close_all()

    twice_at_once(rotate, "UPDATE", "exchange_apikey", "NEW.rotated_to_id IS NOT NULL")
    (issued,) = made
    assert refused == [
        f"The API key was already rotated to {issued.client_id}. Rotate that key instead"
    ]
    assert set(ApiKey.objects.values_list("id", flat=True)) == {key.id, issued.id}


def twice_at_once(call: Callable[[], None], *write: str) -> None:
    """Run `call` twice: the second begins while the first is paused at `write`."""
    first, second = threading.Thread(target=call), threading.Thread(target=call)
    with WritePause(*write) as pause:
        first.start()
        pause.wait()
        second.start()
        wait_until(is_waiting_for_row, "the second one waits for the first")
        pause.release()
        first.join()
        second.join()


def is_waiting_for_row() -> bool:
    """Return whether a session of this database waits for a row of another transaction."""
    return count_waiting_for_rows() > 0


def count_waiting_for_rows() -> int:
    """Return the number of this database's sessions that wait for a row of another transaction."""
    with psycopg.connect(server_url(worker_database()), autocommit=True) as watch:
        row = watch.execute(
            "SELECT count(DISTINCT pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
            " WHERE NOT l.granted AND l.locktype IN ('transactionid', 'tuple')"
            " AND a.datname = current_database()"
        ).fetchone()
    assert row is not None
    return int(row[0])
