"""`kill -9` at named points between request and webhook: no loss, no double payment.

The sandbox or the database (`tests.environment.write_pause`) pauses a real process at a point. The
process is then killed, and another one must finish its work.
"""

import json
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
import requests
from celery import Celery
from django.utils import timezone

from exchange.events.models import Event, EventDelivery
from exchange.events.services import endpoints as webhook_endpoints
from tests.environment.processes import Program, wait_until
from tests.environment.services import Sandbox, Service, ServiceStack
from tests.environment.webhook_receiver import Receiver
from tests.environment.write_pause import WritePause
from tests.factories.api_clients import make_caller
from tests.factories.payouts import (
    HALF_AN_HOUR,
    HELD,
    PAID_OUT,
    TRANSFERS,
    advance_time,
    count_transfer_orders,
    propose_and_confirm,
    sandbox_transfers,
    settle_at_bank,
)
from tests.factories.wallets import (
    BANK,
    PAID_ACCOUNT,
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    status_of,
    store_bank_list,
)
from wallets.ledger.models import Transfer
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Payout, Withdrawal

AFTER_LEASE = 121
SWEEP = "wallets.tasks.sweep_payouts"


@pytest.fixture
def broker(service_stack: ServiceStack) -> Celery:
    return service_stack.celery()


def sweep_until(withdrawal: Withdrawal, status: str, broker: Celery) -> None:
    """Sweep, 15 seconds of the payout's time apart, until the withdrawal has the status."""

    def reached() -> bool:
        if status_of(withdrawal) == status:
            return True
        advance_time(withdrawal, 15)
        broker.send_task(SWEEP)
        return False

    for _ in range(60):
        try:
            wait_until(reached, status, seconds=0)
        except AssertionError:
            threading.Event().wait(0.5)
        else:
            return
    raise AssertionError(f"the withdrawal is {status_of(withdrawal)}, not {status}")


def events(withdrawal: Withdrawal) -> list[str]:
    rows = Event.objects.filter(subject_id=withdrawal.id).order_by("id")
    return [kind.removeprefix("withdrawal.") for kind in rows.values_list("type", flat=True)]


def assert_paid_once(
    sandbox: Sandbox, wallet: Wallet, withdrawal: Withdrawal, *, unknown: bool = False
) -> None:
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1
    expected = ["created", "approved", "processing", *(["unknown"] if unknown else []), "completed"]
    assert events(withdrawal) == expected
    assert Transfer.objects.filter(kind="withdrawal_settle").count() == 1
    assert_books_hold()


@pytest.mark.slow
def test_another_worker_pays_after_a_worker_is_killed_between_claim_and_order(
    sandbox: Sandbox, wallet: Wallet, live_worker: Program, broker: Celery
):
    marking = "NEW.posted_at IS NOT NULL AND OLD.posted_at IS NULL"
    with WritePause("UPDATE", "wallets_payout", marking) as pause:
        withdrawal = make_approved_withdrawal(wallet)
        broker.send_task(SWEEP)
        pause.wait()
        live_worker.kill()
        pause.disconnect()
    assert (status_of(withdrawal), wallet.kes) == ("Processing", HELD)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).posted_at is None
    assert count_transfer_orders(sandbox, withdrawal) == 0
    assert_books_hold()
    advance_time(withdrawal, AFTER_LEASE)
    live_worker.start()
    sweep_until(withdrawal, "Completed", broker)
    assert_paid_once(sandbox, wallet, withdrawal)
    assert count_transfer_orders(sandbox, withdrawal) == 1


def kill_during_transfer(
    sandbox: Sandbox, wallet: Wallet, worker: Program, broker: Celery, fault: str
) -> Withdrawal:
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault(fault, match=TRANSFERS, seconds=5)
    broker.send_task(SWEEP)
    wait_until(
        lambda: count_transfer_orders(sandbox, withdrawal) == 1, "the order reached the provider"
    )
    if fault == "timeout_after":
        wait_until(
            lambda: len(sandbox_transfers(sandbox, withdrawal)) == 1, "the order was accepted"
        )
    worker.kill()
    assert (status_of(withdrawal), wallet.kes) == ("Processing", HELD)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).posted_at is not None
    assert_books_hold()
    return withdrawal


@pytest.mark.slow
def test_the_transfer_is_found_after_a_worker_is_killed_once_it_was_accepted(
    sandbox: Sandbox, wallet: Wallet, live_worker: Program, broker: Celery
):
    withdrawal = kill_during_transfer(sandbox, wallet, live_worker, broker, "timeout_after")
    advance_time(withdrawal, AFTER_LEASE)
    live_worker.start()
    sweep_until(withdrawal, "Completed", broker)
    assert_paid_once(sandbox, wallet, withdrawal)
    assert count_transfer_orders(sandbox, withdrawal) == 1


@pytest.mark.slow
def test_a_payout_needs_a_decision_after_a_worker_is_killed_before_acceptance(
    sandbox: Sandbox, wallet: Wallet, live_worker: Program, broker: Celery
):
    """The order may have been paid, so that no worker sends it again by itself."""
    withdrawal = kill_during_transfer(sandbox, wallet, live_worker, broker, "timeout_before")
    advance_time(withdrawal, AFTER_LEASE)
    live_worker.start()
    sweep_until(withdrawal, "Unknown", broker)
    assert (wallet.kes, count_transfer_orders(sandbox, withdrawal)) == (HELD, 1)
    advance_time(withdrawal, HALF_AN_HOUR)
    payouts.check_status(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    sweep_until(withdrawal, "Completed", broker)
    assert_paid_once(sandbox, wallet, withdrawal, unknown=True)
    assert count_transfer_orders(sandbox, withdrawal) == 2


@pytest.mark.slow
@pytest.mark.parametrize("connection_lost", [True, False])
def test_another_worker_settles_after_a_worker_is_killed_during_settlement(
    sandbox: Sandbox, wallet: Wallet, live_worker: Program, broker: Celery, connection_lost: bool
):
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    completing = "NEW.status = 'Completed' AND OLD.status = 'Processing'"
    with WritePause("UPDATE", "wallets_withdrawal", completing) as pause:
        advance_time(withdrawal, 60)
        broker.send_task(SWEEP)
        pause.wait()
        live_worker.kill()
        if connection_lost:
            pause.disconnect()
    assert (status_of(withdrawal), wallet.kes) == ("Processing", HELD)
    assert not Transfer.objects.filter(kind="withdrawal_settle").exists()
    assert_books_hold()
    live_worker.start()
    sweep_until(withdrawal, "Completed", broker)
    assert_paid_once(sandbox, wallet, withdrawal)


@pytest.mark.slow
def test_another_worker_delivers_events_after_a_worker_is_killed_before_delivery(
    sandbox: Sandbox, wallet: Wallet, live_worker: Program, broker: Celery
):
    with Receiver() as receiver:
        webhook_endpoints.set_endpoint(
            organisation_id=wallet.organisation.id, url=receiver.url, actor=SYSTEM
        )
        with WritePause("INSERT", "exchange_deliveryattempt", "true") as pause:
            withdrawal = make_approved_withdrawal(wallet)
            payouts.send_payout(withdrawal.id)
            settle_at_bank(sandbox, withdrawal)
            payouts.check_status(withdrawal.id)
            assert_paid_once(sandbox, wallet, withdrawal)
            broker.send_task("exchange.tasks.deliver_events")
            pause.wait()
            live_worker.kill()
            pause.disconnect()
        received_before = len(receiver.received)
        assert not Event.objects.filter(status="Delivered").exists()
        # Expire the leases of the killed worker.
        long_ago = timezone.now() - timedelta(hours=1)
        EventDelivery.objects.filter(leased_until__isnull=False).update(
            leased_until=long_ago, next_attempt_at=long_ago
        )
        live_worker.start()
        wait_until(
            lambda: Event.objects.filter(status="Delivered").count() == 4, "all events delivered"
        )
        # Each event is delivered at least once; duplicates have the same id and body.
        reported = {request.headers["webhook-id"]: request.body for request in receiver.received}
        assert reported == {str(event.id): event.body.encode() for event in Event.objects.all()}
        assert len(receiver.received) >= max(4, received_before)
        assert {json.loads(body)["type"] for body in reported.values()} == {
            f"withdrawal.{name}" for name in ("created", "approved", "processing", "completed")
        }
    assert_books_hold()


@pytest.mark.slow
def test_a_status_check_completes_the_payout_once_the_killed_provider_is_back(
    sandbox: Sandbox, wallet: Wallet
):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("timeout_after", match=TRANSFERS, seconds=5)
    worker = threading.Thread(target=payouts.send_payout, args=[withdrawal.id])
    worker.start()
    wait_until(lambda: len(sandbox_transfers(sandbox, withdrawal)) == 1, "the order was accepted")
    sandbox.kill()
    worker.join()
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert_books_hold()
    sandbox.start()
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert_paid_once(sandbox, wallet, withdrawal, unknown=True)


@pytest.mark.parametrize("connection_lost", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_retries_under_one_key_after_a_web_process_kill_make_one_withdrawal(
    live_service: Service, connection_lost: bool
):
    """This holds whether or not the database finished the statement."""
    store_bank_list()
    caller = make_caller()
    wallet = Wallet(caller.organisation).fund(1000)
    body = {
        "amount": 500,
        "bank_name": BANK,
        "account_name": "Ada Obi",
        "account_number": PAID_ACCOUNT,
        "currency": "KES",
    }
    responses: list[requests.Response | Exception] = []

    def post_withdrawal() -> None:
        try:
            responses.append(
                requests.post(
                    f"{live_service.base_url}/v1/api/wallet/withdraw",
                    json=body,
                    headers={**caller.headers, "Idempotency-Key": "once"},
                    timeout=60,
                )
            )
        except requests.RequestException as error:
            responses.append(error)

    with WritePause("INSERT", "wallets_withdrawal", "true") as pause:
        client = threading.Thread(target=post_withdrawal)
        client.start()
        pause.wait()
        live_service.kill()
        client.join()
        assert isinstance(responses[0], requests.ConnectionError)
        if connection_lost:
            pause.disconnect()
    if connection_lost:
        assert (Withdrawal.objects.count(), wallet.kes) == (0, (Decimal(1000), Decimal(0)))
    else:
        wait_until(lambda: Withdrawal.objects.count() == 1, "the database finished the statement")
    assert_books_hold()
    live_service.start()
    post_withdrawal()
    post_withdrawal()
    first, second = responses[1:]
    assert isinstance(first, requests.Response)
    assert isinstance(second, requests.Response)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert ("Idempotent-Replayed" in first.headers) is not connection_lost
    assert (Withdrawal.objects.count(), wallet.kes) == (1, HELD)
    assert Event.objects.filter(type="withdrawal.created").count() == 1
    assert_books_hold()
