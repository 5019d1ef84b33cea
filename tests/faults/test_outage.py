"""An outage of the provider: the payout circuit opens, probes, tries a payout and closes by itself.

Decisions §8: at most the payouts that failed in a row and those in flight become Unknown. The
others stay Approved, and no payout is paid twice.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests.environment.concurrency import Callers
from tests.environment.processes import Program, wait_until
from tests.environment.services import Sandbox, ServiceStack
from tests.environment.write_pause import WritePause
from tests.factories.payouts import (
    TRANSFERS,
    advance_time,
    call_sandbox,
    count_transfer_orders,
    open_alerts,
    sandbox_transfers,
    settle_at_bank,
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
from wallets.alerts.models import Alert
from wallets.payouts.models import CircuitState, PayoutCircuit
from wallets.payouts.services import circuit, sweeps
from wallets.payouts.services import execution as payouts
from wallets.payouts.tasks import sweep_payouts
from wallets.withdrawals.models import Payout, Withdrawal

WORKERS = 4
FAILURES = 5
# More than may become Unknown in an outage.
PAYOUT_COUNT = 16
MANY = 10_000
EVERYTHING = {"path_prefix": "/v3"}
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


def circuit_row() -> PayoutCircuit:
    return PayoutCircuit.objects.get()


def statuses() -> Counter[str]:
    return Counter(Withdrawal.objects.values_list("status", flat=True))


def reads(sandbox: Sandbox) -> int:
    """Count the requests of every kind that reached the provider."""
    return len(call_sandbox(sandbox, "GET", "requests"))


def open_circuit(wallet: Wallet, sandbox: Sandbox, count: int = FAILURES) -> list[Withdrawal]:
    """Fail payouts until the circuit is open; return those, which became Unknown."""
    sandbox.fault("error_5xx", times=MANY, match=TRANSFERS)
    unknown = [make_approved_withdrawal(wallet) for _ in range(count)]
    for withdrawal in unknown:
        payouts.send_payout(withdrawal.id)
    # A running worker may have claimed one of them.
    wait_until(lambda: circuit_row().state == "Open", "the circuit is open", seconds=30)
    return unknown


def restore_provider(sandbox: Sandbox) -> None:
    call_sandbox(sandbox, "DELETE", "faults")


def probe_now() -> None:
    """Probe the provider without waiting for the next scheduled probe."""
    PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
    circuit.probe_if_due()


def finish_all(sandbox: Sandbox) -> None:
    """Sweep, an hour of the payouts' time apart, until every payout is completed."""
    call_sandbox(sandbox, "POST", "settle")
    for _ in range(6):
        for withdrawal in Withdrawal.objects.filter(status__in=["Processing", "Unknown"]):
            advance_time(withdrawal, 3600)
        sweep_payouts()
        call_sandbox(sandbox, "POST", "settle")


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


@pytest.mark.parametrize("kind", ["403 of a firewall", "429 with Retry-After", "no response"])
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
        found = statuses()
        assert circuit_row().state == "Open"
        assert found["Unknown"] <= FAILURES + WORKERS - 1
        assert found["Approved"] + found["Unknown"] == PAYOUT_COUNT
        assert "provider_outage" in open_alerts()
        # Failed probes change nothing.
        for _ in range(3):
            PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
            callers.at_once([sweep_payouts] * WORKERS)
        assert statuses() == found
        restore_provider(sandbox)
        PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
        callers.at_once([sweep_payouts] * WORKERS)
        callers.at_once([sweep_payouts] * WORKERS)
    assert circuit_row().state == "Closed"
    assert "provider_outage" not in open_alerts()
    assert statuses()["Unknown"] == found["Unknown"]
    finish_all(sandbox)
    paid = [one for one in waiting if status_of(one) == "Completed"]
    assert len(paid) == found["Approved"]
    for one in waiting:
        # Unknown payouts were never accepted and are pending approval by two people.
        assert len(sandbox_transfers(sandbox, one)) == (one in paid)
        assert count_transfer_orders(sandbox, one) == 1
    assert_books_hold()


def test_payouts_stay_approved_while_the_circuit_is_open(sandbox: Sandbox, wallet: Wallet):
    open_circuit(wallet, sandbox)
    waiting = make_approved_withdrawal(wallet)
    before = (
        count_transfer_orders(sandbox, waiting),
        Payout.objects.get(withdrawal_id=waiting.id).attempts,
    )
    payouts.send_payout(waiting.id)
    sweeps.process_payout(waiting.id)
    assert status_of(waiting) == "Approved"
    assert (
        count_transfer_orders(sandbox, waiting),
        Payout.objects.get(withdrawal_id=waiting.id).attempts,
    ) == before
    assert waiting.id not in {withdrawal_id for withdrawal_id, _ in sweeps.due_payouts()}
    assert_books_hold()


def test_four_failures_and_a_success_do_not_open_the_circuit(sandbox: Sandbox, wallet: Wallet):
    for _ in range(3):
        sandbox.fault("error_5xx", times=FAILURES - 1, match=TRANSFERS)
        for _ in range(FAILURES):
            payouts.send_payout(make_approved_withdrawal(wallet).id)
        assert (circuit_row().state, circuit_row().failures) == ("Closed", 0)
    assert open_alerts() == {"payout_unknown"}


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


def test_a_declined_recipient_does_not_count_as_a_failure(sandbox: Sandbox, wallet: Wallet):
    for _ in range(FAILURES + 1):
        payouts.send_payout(make_approved_withdrawal(wallet, account=DECLINED_ACCOUNT).id)
    assert (circuit_row().state, circuit_row().failures) == ("Closed", 0)


def test_exactly_one_payout_is_tried_after_a_successful_probe(sandbox: Sandbox, wallet: Wallet):
    open_circuit(wallet, sandbox)
    waiting = [make_approved_withdrawal(wallet) for _ in range(8)]
    restore_provider(sandbox)
    # The response to the trial is delayed; no other payout is sent until then.
    probe_now()
    assert circuit_row().state == "Half-open"
    sandbox.fault("timeout_before", match=TRANSFERS)
    with Callers(8) as callers:
        callers.at_once([partial(payouts.send_payout, one.id) for one in waiting])
    assert sum(count_transfer_orders(sandbox, one) for one in waiting) == 1
    assert statuses() == Counter(Unknown=FAILURES + 1, Approved=7)
    assert (circuit_row().state, circuit_row().failed_trials, circuit_row().trial_id) == (
        "Open",
        1,
        None,
    )
    probe_now()
    payouts.send_payout(next(one.id for one in waiting if status_of(one) == "Approved"))
    assert (circuit_row().state, circuit_row().failures, circuit_row().failed_trials) == (
        "Closed",
        0,
        0,
    )
    assert_books_hold()


def test_a_declined_trial_leaves_the_circuit_half_open_for_the_next_payout(
    sandbox: Sandbox, wallet: Wallet
):
    open_circuit(wallet, sandbox)
    declined, good = (
        make_approved_withdrawal(wallet, account=DECLINED_ACCOUNT),
        make_approved_withdrawal(wallet),
    )
    restore_provider(sandbox)
    probe_now()
    payouts.send_payout(declined.id)
    assert (status_of(declined), circuit_row().state, circuit_row().trial_id) == (
        "Failed",
        "Half-open",
        None,
    )
    payouts.send_payout(good.id)
    assert circuit_row().state == "Closed"


def test_a_trial_of_a_dead_worker_expires(sandbox: Sandbox, wallet: Wallet):
    open_circuit(wallet, sandbox)
    first, second = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    restore_provider(sandbox)
    probe_now()
    # The worker claims the trial and dies before it marks the order.
    assert payouts._claim(first.id) is not None
    assert (circuit_row().trial_id, status_of(first)) == (first.id, "Processing")
    payouts.send_payout(second.id)
    circuit.probe_if_due()
    # Responses to earlier orders do not affect the trial.
    for record in (circuit.record_acceptance, circuit.record_response):
        record(second.id)
    circuit.record_failure(second.id, error="late")
    assert (circuit_row().trial_id, circuit_row().failed_trials) == (first.id, 0)
    assert (status_of(second), circuit_row().state) == ("Approved", "Half-open")
    advance_time(first, 121)
    circuit.probe_if_due()
    assert (circuit_row().state, circuit_row().trial_id) == ("Half-open", None)
    payouts.send_payout(second.id)
    assert circuit_row().state == "Closed"
    sweep_payouts()
    finish_all(sandbox)
    for one in (first, second):
        assert (status_of(one), count_transfer_orders(sandbox, one)) == ("Completed", 1)
    assert_books_hold()


def test_an_unsent_payout_of_a_dead_worker_is_approved_again_while_open(
    sandbox: Sandbox, wallet: Wallet
):
    orphan = make_approved_withdrawal(wallet)
    assert payouts._claim(orphan.id) is not None
    open_circuit(wallet, sandbox)
    advance_time(orphan, 121)
    sweeps.process_payout(orphan.id)
    assert (status_of(orphan), count_transfer_orders(sandbox, orphan)) == ("Approved", 0)
    assert_books_hold()


def test_a_payout_claimed_before_the_circuit_opened_is_not_sent_afterwards(
    sandbox: Sandbox, wallet: Wallet
):
    late = make_approved_withdrawal(wallet)
    claim = payouts._claim(late.id)
    assert claim is not None
    open_circuit(wallet, sandbox)
    payouts._post(late.id, claim.token)
    assert (status_of(late), count_transfer_orders(sandbox, late)) == ("Approved", 0)
    payout = Payout.objects.get(withdrawal_id=late.id)
    assert (payout.posted_at, payout.leased_until, payout.claimed_by) == (None, None, "")
    # The payout is due at once; the circuit decides when it is sent.
    assert payout.next_step_at == payout.updated_at
    assert_books_hold()


def test_one_worker_probes_once_a_minute(sandbox: Sandbox, wallet: Wallet):
    open_circuit(wallet, sandbox)
    sandbox.fault("error_5xx", times=MANY, match=EVERYTHING, status=502)
    call_sandbox(sandbox, "DELETE", "requests")
    with Callers(WORKERS) as callers:
        callers.at_once([circuit.probe_if_due] * WORKERS)
        assert reads(sandbox) == 0
        PayoutCircuit.objects.update(next_probe_at=timezone.now())
        callers.at_once([circuit.probe_if_due] * WORKERS)
    assert reads(sandbox) == 1
    until = circuit_row().next_probe_at
    assert until is not None
    assert 50 < (until - timezone.now()).total_seconds() <= 60
    assert (circuit_row().state, circuit_row().reason) == ("Open", "the provider failed (502)")
    # The alert shows the last failure, not the one that opened the circuit.
    assert "the provider failed (502)." in Alert.objects.get(kind=circuit.ALERT).message


def test_trials_back_off_while_reads_succeed_and_posts_fail(sandbox: Sandbox, wallet: Wallet):
    open_circuit(wallet, sandbox)
    minutes = []
    for _ in range(3):
        one = make_approved_withdrawal(wallet)
        probe_now()
        payouts.send_payout(one.id)
        until = circuit_row().next_probe_at
        assert until is not None
        minutes.append(round((until - timezone.now()).total_seconds() / 60))
    assert (circuit_row().state, minutes) == ("Open", [2, 4, 8])


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
    finish_all(sandbox)
    for one in waiting:
        assert count_transfer_orders(sandbox, one) == 1
        assert len(sandbox_transfers(sandbox, one)) == (status_of(one) == "Completed")
    assert statuses()["Approved"] == statuses()["Processing"] == 0
    assert_books_hold()


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
    assert (reads(sandbox), status_of(second)) == (0, "Approved")
    advance_time(first, 60)
    sweep_payouts()
    assert count_transfer_orders(sandbox, second) == 1
    assert Payout.objects.get(withdrawal_id=first.id).not_found_count == 1


def test_status_checks_continue_while_the_circuit_is_open(sandbox: Sandbox, wallet: Wallet):
    accepted = make_approved_withdrawal(wallet)
    payouts.send_payout(accepted.id)
    open_circuit(wallet, sandbox)
    settle_at_bank(sandbox, accepted)
    advance_time(accepted, 60)
    sweep_payouts()
    assert status_of(accepted) == "Completed"


@pytest.mark.parametrize(
    "changes",
    [
        {"state": CircuitState.CLOSED},
        {"state": CircuitState.HALF_OPEN, "id": 2},
        {"opened_at": None},
    ],
)
def test_the_database_rejects_invalid_circuit_states(
    sandbox: Sandbox, wallet: Wallet, changes: dict[str, Any]
):
    open_circuit(wallet, sandbox)
    with pytest.raises(IntegrityError), transaction.atomic():
        PayoutCircuit.objects.update(**changes)
    assert circuit_row().state == "Open"


def test_the_database_rejects_an_order_while_the_circuit_is_open(sandbox: Sandbox, wallet: Wallet):
    waiting = make_approved_withdrawal(wallet)
    open_circuit(wallet, sandbox)
    with pytest.raises(IntegrityError, match="circuit is open"), transaction.atomic():
        Payout.objects.filter(withdrawal_id=waiting.id).update(posted_at=timezone.now())
    assert Payout.objects.get(withdrawal_id=waiting.id).posted_at is None


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
    assert statuses() == Counter(Unknown=FAILURES, Approved=3, Processing=1)
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
    assert statuses() == Counter(Unknown=FAILURES, Completed=4)
    assert_books_hold()
