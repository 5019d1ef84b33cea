"""An outage of the provider: which failures open the payout circuit, and what happens to payouts.

Decisions §8: at most the payouts that failed in a row and those in flight become Unknown. The
others stay Approved, and no payout is paid twice.
"""

from collections import Counter
from typing import Any

import pytest
from django.utils import timezone

from tests.environment.concurrency import Callers
from tests.environment.processes import Program, wait_until
from tests.environment.services import Sandbox, ServiceStack
from tests.environment.write_pause import WritePause
from tests.factories.outages import (
    EVERYTHING,
    FAILURES,
    MANY,
    WORKERS,
    circuit_row,
    complete_payouts,
    count_requests,
    count_statuses,
    open_circuit,
    probe_now,
    restore_provider,
)
from tests.factories.payouts import (
    TRANSFERS,
    advance_time,
    call_sandbox,
    count_transfer_orders,
    open_alerts,
    sandbox_transfers,
)
from tests.factories.wallets import (
    DECLINED_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    status_of,
    store_bank_list,
)
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import execution as payouts
from wallets.payouts.tasks import sweep_payouts
from wallets.withdrawals.models import Payout

# More than may become Unknown in an outage.
PAYOUT_COUNT = 16
FORBIDDEN = {"status": 403, "body": '{"status":"error","message":"Forbidden","data":null}'}

OUTAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "401": ("unauthorized", {}),
    "403": ("error_5xx", FORBIDDEN),
    "403 of a firewall": ("error_5xx", {**FORBIDDEN, "body": "<html>Blocked</html>"}),
    "429": ("rate_limit", {"retry_after": None}),
    "429 with Retry-After": ("rate_limit", {"retry_after": 30}),
    "500": ("error_5xx", {"status": 500}),
    "503": ("error_5xx", {}),
    "no response": ("reset", {}),
}


@pytest.fixture
def wallet(sandbox: Sandbox) -> Wallet:
    store_bank_list()
    return make_member_wallet(1_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("kind", OUTAGES)
def test_every_kind_of_outage_counts_as_a_failure(sandbox: Sandbox, wallet: Wallet, kind: str):
    fault, options = OUTAGES[kind]
    sandbox.fault(fault, times=MANY, match=TRANSFERS, **options)
    unknown = make_approved_withdrawal(wallet)
    payouts.send_payout(unknown.id)
    assert (status_of(unknown), circuit_row().state, circuit_row().failures) == (
        "Unknown",
        "Closed",
        1,
    )


@pytest.mark.parametrize(
    "kind",
    [
        "no response",
        pytest.param("403 of a firewall", marks=pytest.mark.slow),
        pytest.param("429 with Retry-After", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_few_payouts_become_unknown_and_the_rest_is_paid_after_the_outage(
    sandbox: Sandbox, wallet: Wallet, kind: str
):
    waiting = [make_approved_withdrawal(wallet) for _ in range(PAYOUT_COUNT)]
    fault, options = OUTAGES[kind]
    sandbox.fault(fault, times=MANY, match=EVERYTHING, **options)
    with Callers(WORKERS) as callers:
        # A Retry-After header pauses a round after one failure, or after a few concurrent ones.
        for _ in range(FAILURES):
            callers.at_once([sweep_payouts] * WORKERS)
            PayoutCircuit.objects.update(quiet_until=None)
        found = count_statuses()
        assert circuit_row().state == "Open"
        assert found["Unknown"] <= FAILURES + WORKERS - 1
        assert found["Approved"] + found["Unknown"] == PAYOUT_COUNT
        assert "provider_outage" in open_alerts()
        # Failed probes change nothing.
        for _ in range(3):
            PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
            callers.at_once([sweep_payouts] * WORKERS)
        assert count_statuses() == found
        restore_provider(sandbox)
        PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
        callers.at_once([sweep_payouts] * WORKERS)
        callers.at_once([sweep_payouts] * WORKERS)
    assert circuit_row().state == "Closed"
    assert "provider_outage" not in open_alerts()
    assert count_statuses()["Unknown"] == found["Unknown"]
    complete_payouts(sandbox)
    paid = [one for one in waiting if status_of(one) == "Completed"]
    assert len(paid) == found["Approved"]
    for one in waiting:
        # Unknown payouts were never accepted and are pending approval by two people.
        assert len(sandbox_transfers(sandbox, one)) == (one in paid)
        assert count_transfer_orders(sandbox, one) == 1
    assert_books_hold()


def test_four_failures_and_a_success_do_not_open_the_circuit(sandbox: Sandbox, wallet: Wallet):
    for _ in range(3):
        sandbox.fault("error_5xx", times=FAILURES - 1, match=TRANSFERS)
        for _ in range(FAILURES):
            payouts.send_payout(make_approved_withdrawal(wallet).id)
        assert (circuit_row().state, circuit_row().failures) == ("Closed", 0)
    assert open_alerts() == {"payout_unknown"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Insufficient fund", "Approved"),
        ("Payout was made to a blacklisted account number", "Failed"),
        ("Duplicate reference", "Unknown"),
    ],
)
def test_a_response_that_accepts_nothing_resets_the_failures(
    sandbox: Sandbox, wallet: Wallet, message: str, status: str
):
    sandbox.fault("error_5xx", times=FAILURES - 1, match=TRANSFERS)
    for _ in range(FAILURES - 1):
        payouts.send_payout(make_approved_withdrawal(wallet).id)
    assert circuit_row().failures == FAILURES - 1
    responded = make_approved_withdrawal(wallet)
    body = f'{{"status":"error","message":"{message}","data":null}}'
    sandbox.fault("error_5xx", match=TRANSFERS, status=400, body=body)
    payouts.send_payout(responded.id)
    assert (status_of(responded), circuit_row().state, circuit_row().failures) == (
        status,
        "Closed",
        0,
    )


@pytest.mark.slow
def test_a_declined_recipient_does_not_count_as_a_failure(sandbox: Sandbox, wallet: Wallet):
    for _ in range(FAILURES + 1):
        payouts.send_payout(make_approved_withdrawal(wallet, account=DECLINED_ACCOUNT).id)
    assert (circuit_row().state, circuit_row().failures) == ("Closed", 0)


@pytest.mark.slow
def test_a_flapping_provider_pays_everything_once(sandbox: Sandbox, wallet: Wallet):
    waiting = [make_approved_withdrawal(wallet) for _ in range(24)]
    with Callers(WORKERS) as callers:
        for _ in range(4):
            sandbox.fault("error_5xx", times=7, match=TRANSFERS)
            callers.at_once([sweep_payouts] * WORKERS)
            PayoutCircuit.objects.update(next_probe_at=timezone.now())
            restore_provider(sandbox)
            callers.at_once([sweep_payouts] * WORKERS)
    probe_now()
    sweep_payouts()
    complete_payouts(sandbox)
    for one in waiting:
        assert count_transfer_orders(sandbox, one) == 1
        assert len(sandbox_transfers(sandbox, one)) == (status_of(one) == "Completed")
    assert count_statuses()["Approved"] == count_statuses()["Processing"] == 0
    assert_books_hold()


@pytest.mark.slow
def test_no_request_is_sent_before_the_providers_retry_after(sandbox: Sandbox, wallet: Wallet):
    first, second = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    sandbox.fault("rate_limit", match=TRANSFERS, retry_after=120)
    payouts.send_payout(first.id)
    assert status_of(first) == "Unknown"
    advance_time(first, 60)
    call_sandbox(sandbox, "DELETE", "requests")
    for _ in range(3):
        sweep_payouts()
    payouts.send_payout(second.id)
    assert (count_requests(sandbox), status_of(second)) == (0, "Approved")
    advance_time(first, 60)
    sweep_payouts()
    assert count_transfer_orders(sandbox, second) == 1
    assert Payout.objects.get(withdrawal_id=first.id).not_found_count == 1


@pytest.mark.slow
def test_payouts_recover_after_the_worker_of_the_trial_is_killed(
    sandbox: Sandbox, wallet: Wallet, live_worker: Program, service_stack: ServiceStack
):
    open_circuit(wallet, sandbox)
    waiting = [make_approved_withdrawal(wallet) for _ in range(4)]
    restore_provider(sandbox)
    marking = "NEW.posted_at IS NOT NULL AND OLD.posted_at IS NULL"
    with WritePause("UPDATE", "wallets_payout", marking) as pause:
        PayoutCircuit.objects.update(next_probe_at=timezone.now())
        service_stack.celery().send_task("wallets.tasks.sweep_payouts")
        pause.wait()
        assert circuit_row().state == "Half-open"
        trial_id = circuit_row().trial_id
        live_worker.kill()
        pause.disconnect()
    assert count_statuses() == Counter(Unknown=FAILURES, Approved=3, Processing=1)
    assert trial_id in {one.id for one in waiting}
    live_worker.start()

    def all_paid() -> bool:
        for one in waiting:
            advance_time(one, 30)
        call_sandbox(sandbox, "POST", "settle")
        return {status_of(one) for one in waiting} == {"Completed"}

    wait_until(all_paid, "all are paid", seconds=90)
    assert circuit_row().state == "Closed"
    for one in waiting:
        assert (count_transfer_orders(sandbox, one), len(sandbox_transfers(sandbox, one))) == (1, 1)
    assert count_statuses() == Counter(Unknown=FAILURES, Completed=4)
    assert_books_hold()
