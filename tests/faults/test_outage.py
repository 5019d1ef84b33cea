"""An outage of the provider: the circuit of payouts opens, probes, tries one, and closes by itself.

Decisions §8: at most the failures in a row, and those in flight, become Unknown; the others wait as
Approved; nothing is paid twice.
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
# More than an outage may make Unknown.
WAITING = 16
MANY = 10_000
EVERYTHING = {"path_prefix": "/v3"}
FORBIDDEN = {"status": 403, "body": '{"status":"error","message":"Forbidden","data":null}'}

OUTAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "401": ("unauthorized", {}),
    "403": ("error_5xx", FORBIDDEN),
    "403 of a firewall": ("error_5xx", {**FORBIDDEN, "body": "<html>Blocked</html>"}),
    "429": ("rate_limit", {"retry_after": None}),
    "429 with a wish": ("rate_limit", {"retry_after": 30}),
    "500": ("error_5xx", {"status": 500}),
    "503": ("error_5xx", {}),
    "no answer": ("reset", {}),
}


@pytest.fixture
def wallet(sandbox: Sandbox) -> Wallet:
    store_bank_list()
    return make_member_wallet(1_000_000)


def row() -> PayoutCircuit:
    return PayoutCircuit.objects.get()


def statuses() -> Counter[str]:
    return Counter(Withdrawal.objects.values_list("status", flat=True))


def reads(sandbox: Sandbox) -> int:
    """Requests of every kind that reached the provider."""
    return len(call_sandbox(sandbox, "GET", "requests"))


def break_down(wallet: Wallet, sandbox: Sandbox, count: int = FAILURES) -> list[Withdrawal]:
    """The provider fails until the circuit is open; the payouts that became Unknown."""
    sandbox.fault("error_5xx", times=MANY, match=TRANSFERS)
    lost = [make_approved_withdrawal(wallet) for _ in range(count)]
    for withdrawal in lost:
        payouts.send_payout(withdrawal.id)
    # A worker that runs meanwhile may have taken one of them.
    wait_until(lambda: row().state == "Open", "the circuit is open", seconds=30)
    return lost


def mend(sandbox: Sandbox) -> None:
    call_sandbox(sandbox, "DELETE", "faults")


def probe_again() -> None:
    """The minute until the next probe is over, however often it was doubled."""
    PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
    circuit.probe_if_due()


def finish_all(sandbox: Sandbox) -> None:
    """Sweeps until every payout is at its end, with time passing for all of them."""
    call_sandbox(sandbox, "POST", "settle")
    for _ in range(6):
        for withdrawal in Withdrawal.objects.filter(status__in=["Processing", "Unknown"]):
            advance_time(withdrawal, 3600)
        sweep_payouts()
        call_sandbox(sandbox, "POST", "settle")


@pytest.mark.parametrize("kind", OUTAGES)
def test_every_kind_of_outage_is_a_failure_of_the_provider(
    sandbox: Sandbox, wallet: Wallet, kind: str
):
    fault, options = OUTAGES[kind]
    sandbox.fault(fault, times=MANY, match=TRANSFERS, **options)
    lost = make_approved_withdrawal(wallet)
    payouts.send_payout(lost.id)
    assert (status_of(lost), row().state, row().failures) == ("Unknown", "Closed", 1)


@pytest.mark.parametrize("kind", ["403 of a firewall", "429 with a wish", "no answer"])
def test_an_outage_makes_few_unknown_and_the_rest_is_paid_when_it_is_over(
    sandbox: Sandbox, wallet: Wallet, kind: str
):
    waiting = [make_approved_withdrawal(wallet) for _ in range(WAITING)]
    fault, options = OUTAGES[kind]
    sandbox.fault(fault, times=MANY, match=EVERYTHING, **options)
    with Callers(WORKERS) as callers:
        # A wish to be left alone ends a round after one failure, or after a few at once.
        for _ in range(FAILURES):
            callers.at_once([sweep_payouts] * WORKERS)
            PayoutCircuit.objects.update(quiet_until=None)
        found = statuses()
        assert row().state == "Open"
        assert found["Unknown"] <= FAILURES + WORKERS - 1
        assert found["Approved"] + found["Unknown"] == WAITING
        assert "provider_outage" in open_alerts()
        # It stays so however often the provider is probed in vain.
        for _ in range(3):
            PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
            callers.at_once([sweep_payouts] * WORKERS)
        assert statuses() == found
        mend(sandbox)
        PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
        callers.at_once([sweep_payouts] * WORKERS)
        callers.at_once([sweep_payouts] * WORKERS)
    assert row().state == "Closed"
    assert "provider_outage" not in open_alerts()
    assert statuses()["Unknown"] == found["Unknown"]
    finish_all(sandbox)
    paid = [one for one in waiting if status_of(one) == "Completed"]
    assert len(paid) == found["Approved"]
    for one in waiting:
        # What became Unknown waits for two people, and was never taken.
        assert len(sandbox_transfers(sandbox, one)) == (one in paid)
        assert count_transfer_orders(sandbox, one) == 1
    assert_books_hold()


def test_payouts_wait_as_approved_while_the_circuit_is_open(sandbox: Sandbox, wallet: Wallet):
    break_down(wallet, sandbox)
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
    ) == (before)
    assert waiting.id not in {withdrawal_id for withdrawal_id, _ in sweeps.due_payouts()}
    assert_books_hold()


def test_four_failures_and_a_success_do_not_open_the_circuit(sandbox: Sandbox, wallet: Wallet):
    for _ in range(3):
        sandbox.fault("error_5xx", times=FAILURES - 1, match=TRANSFERS)
        for _ in range(FAILURES):
            payouts.send_payout(make_approved_withdrawal(wallet).id)
        assert (row().state, row().failures) == ("Closed", 0)
    assert open_alerts() == {"payout_unknown"}


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Insufficient fund", "Approved"),
        ("Payout was made to a blacklisted account number", "Failed"),
        ("Duplicate reference", "Unknown"),
    ],
)
def test_an_answer_that_accepts_nothing_ends_the_row_of_failures(
    sandbox: Sandbox, wallet: Wallet, message: str, status: str
):
    sandbox.fault("error_5xx", times=FAILURES - 1, match=TRANSFERS)
    for _ in range(FAILURES - 1):
        payouts.send_payout(make_approved_withdrawal(wallet).id)
    assert row().failures == FAILURES - 1
    responded = make_approved_withdrawal(wallet)
    body = f'{{"status":"error","message":"{message}","data":null}}'
    sandbox.fault("error_5xx", match=TRANSFERS, status=400, body=body)
    payouts.send_payout(responded.id)
    assert (status_of(responded), row().state, row().failures) == (status, "Closed", 0)


def test_a_refused_recipient_is_no_failure_of_the_provider(sandbox: Sandbox, wallet: Wallet):
    for _ in range(FAILURES + 1):
        payouts.send_payout(make_approved_withdrawal(wallet, account=DECLINED_ACCOUNT).id)
    assert (row().state, row().failures) == ("Closed", 0)


def test_after_a_good_read_exactly_one_payout_is_tried(sandbox: Sandbox, wallet: Wallet):
    break_down(wallet, sandbox)
    waiting = [make_approved_withdrawal(wallet) for _ in range(8)]
    mend(sandbox)
    # The order of the one that is tried is held back: meanwhile nobody else posts.
    probe_again()
    assert row().state == "Half-open"
    sandbox.fault("timeout_before", match=TRANSFERS)
    with Callers(8) as callers:
        callers.at_once([partial(payouts.send_payout, one.id) for one in waiting])
    assert sum(count_transfer_orders(sandbox, one) for one in waiting) == 1
    assert statuses() == Counter(Unknown=FAILURES + 1, Approved=7)
    assert (row().state, row().failed_trials, row().trial_id) == ("Open", 1, None)
    probe_again()
    payouts.send_payout(next(one.id for one in waiting if status_of(one) == "Approved"))
    assert (row().state, row().failures, row().failed_trials) == ("Closed", 0, 0)
    assert_books_hold()


def test_a_refused_recipient_neither_closes_nor_opens_and_the_next_payout_is_tried(
    sandbox: Sandbox, wallet: Wallet
):
    break_down(wallet, sandbox)
    refused, good = (
        make_approved_withdrawal(wallet, account=DECLINED_ACCOUNT),
        make_approved_withdrawal(wallet),
    )
    mend(sandbox)
    probe_again()
    payouts.send_payout(refused.id)
    assert (status_of(refused), row().state, row().trial_id) == ("Failed", "Half-open", None)
    payouts.send_payout(good.id)
    assert row().state == "Closed"


def test_a_worker_that_dies_with_the_trial_holds_up_nobody(sandbox: Sandbox, wallet: Wallet):
    break_down(wallet, sandbox)
    first, second = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    mend(sandbox)
    probe_again()
    # Claimed, the trial taken, and gone before it was marked.
    assert payouts._claim(first.id) is not None
    assert (row().trial_id, status_of(first)) == (first.id, "Processing")
    payouts.send_payout(second.id)
    circuit.probe_if_due()
    # An answer to an order that was sent before says nothing of the trial.
    for responded in (circuit.record_acceptance, circuit.record_response):
        responded(second.id)
    circuit.record_failure(second.id, error="late")
    assert (row().trial_id, row().failed_trials) == (first.id, 0)
    assert (status_of(second), row().state) == ("Approved", "Half-open")
    advance_time(first, 121)
    circuit.probe_if_due()
    assert (row().state, row().trial_id) == ("Half-open", None)
    payouts.send_payout(second.id)
    assert row().state == "Closed"
    sweep_payouts()
    finish_all(sandbox)
    for one in (first, second):
        assert (status_of(one), count_transfer_orders(sandbox, one)) == ("Completed", 1)
    assert_books_hold()


def test_an_unsent_payout_whose_worker_died_goes_back_to_approved_while_open(
    sandbox: Sandbox, wallet: Wallet
):
    orphan = make_approved_withdrawal(wallet)
    assert payouts._claim(orphan.id) is not None
    break_down(wallet, sandbox)
    advance_time(orphan, 121)
    sweeps.process_payout(orphan.id)
    assert (status_of(orphan), count_transfer_orders(sandbox, orphan)) == ("Approved", 0)
    assert_books_hold()


def test_a_payout_claimed_before_the_circuit_opened_is_not_posted_after(
    sandbox: Sandbox, wallet: Wallet
):
    late = make_approved_withdrawal(wallet)
    claim = payouts._claim(late.id)
    assert claim is not None
    break_down(wallet, sandbox)
    payouts._post(late.id, claim.token)
    assert (status_of(late), count_transfer_orders(sandbox, late)) == ("Approved", 0)
    payout = Payout.objects.get(withdrawal_id=late.id)
    assert (payout.posted_at, payout.leased_until, payout.claimed_by) == (None, None, "")
    # It is due again at once: the circuit says when it goes.
    assert payout.next_step_at == payout.updated_at
    assert_books_hold()


def test_one_worker_probes_once_a_minute(sandbox: Sandbox, wallet: Wallet):
    break_down(wallet, sandbox)
    sandbox.fault("error_5xx", times=MANY, match=EVERYTHING, status=502)
    call_sandbox(sandbox, "DELETE", "requests")
    with Callers(WORKERS) as callers:
        callers.at_once([circuit.probe_if_due] * WORKERS)
        assert reads(sandbox) == 0
        PayoutCircuit.objects.update(next_probe_at=timezone.now())
        callers.at_once([circuit.probe_if_due] * WORKERS)
    assert reads(sandbox) == 1
    until = row().next_probe_at
    assert until is not None
    assert 50 < (until - timezone.now()).total_seconds() <= 60
    assert (row().state, row().reason) == ("Open", "the provider failed (502)")
    # Staff read of the last failure, not of the one that opened the circuit.
    assert "the provider failed (502)." in Alert.objects.get(kind=circuit.ALERT).message


def test_reads_that_work_while_posts_fail_are_tried_less_and_less_often(
    sandbox: Sandbox, wallet: Wallet
):
    break_down(wallet, sandbox)
    waits = []
    for _ in range(3):
        one = make_approved_withdrawal(wallet)
        probe_again()
        payouts.send_payout(one.id)
        until = row().next_probe_at
        assert until is not None
        waits.append(round((until - timezone.now()).total_seconds() / 60))
    assert (row().state, waits) == ("Open", [2, 4, 8])


def test_a_provider_that_flaps_pays_everything_once(sandbox: Sandbox, wallet: Wallet):
    waiting = [make_approved_withdrawal(wallet) for _ in range(24)]
    with Callers(WORKERS) as callers:
        for _ in range(4):
            sandbox.fault("error_5xx", times=7, match=TRANSFERS)
            callers.at_once([sweep_payouts] * WORKERS)
            PayoutCircuit.objects.update(next_probe_at=timezone.now())
            mend(sandbox)
            callers.at_once([sweep_payouts] * WORKERS)
    probe_again()
    sweep_payouts()
    finish_all(sandbox)
    for one in waiting:
        assert count_transfer_orders(sandbox, one) == 1
        assert len(sandbox_transfers(sandbox, one)) == (status_of(one) == "Completed")
    assert statuses()["Approved"] == statuses()["Processing"] == 0
    assert_books_hold()


def test_the_provider_is_left_alone_for_as_long_as_it_asks(sandbox: Sandbox, wallet: Wallet):
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


def test_look_ups_go_on_while_the_circuit_is_open(sandbox: Sandbox, wallet: Wallet):
    taken = make_approved_withdrawal(wallet)
    payouts.send_payout(taken.id)
    break_down(wallet, sandbox)
    settle_at_bank(sandbox, taken)
    advance_time(taken, 60)
    sweep_payouts()
    assert status_of(taken) == "Completed"


@pytest.mark.parametrize(
    "changes",
    [
        {"state": CircuitState.CLOSED},
        {"state": CircuitState.HALF_OPEN, "id": 2},
        {"opened_at": None},
    ],
)
def test_the_database_refuses_what_the_circuit_may_not_become(
    sandbox: Sandbox, wallet: Wallet, changes: dict[str, Any]
):
    break_down(wallet, sandbox)
    with pytest.raises(IntegrityError), transaction.atomic():
        PayoutCircuit.objects.update(**changes)
    assert row().state == "Open"


def test_the_database_refuses_a_post_while_the_circuit_is_open(sandbox: Sandbox, wallet: Wallet):
    waiting = make_approved_withdrawal(wallet)
    break_down(wallet, sandbox)
    with pytest.raises(IntegrityError, match="circuit is open"), transaction.atomic():
        Payout.objects.filter(withdrawal_id=waiting.id).update(posted_at=timezone.now())
    assert Payout.objects.get(withdrawal_id=waiting.id).posted_at is None


@pytest.mark.slow
def test_a_worker_process_killed_with_the_trial_is_survived_unattended(
    sandbox: Sandbox, wallet: Wallet, live_worker: Program, service_stack: ServiceStack
):
    break_down(wallet, sandbox)
    waiting = [make_approved_withdrawal(wallet) for _ in range(4)]
    mend(sandbox)
    marking = "NEW.posted_at IS NOT NULL AND OLD.posted_at IS NULL"
    with WritePause("UPDATE", "wallets_payout", marking) as pause:
        PayoutCircuit.objects.update(next_probe_at=timezone.now())
        service_stack.celery().send_task("wallets.tasks.sweep_payouts")
        pause.wait()
        assert row().state == "Half-open"
        held = row().trial_id
        live_worker.kill()
        pause.disconnect()
    assert statuses() == Counter(Unknown=FAILURES, Approved=3, Processing=1)
    assert held in {one.id for one in waiting}
    live_worker.start()

    def all_paid() -> bool:
        for one in waiting:
            advance_time(one, 30)
        call_sandbox(sandbox, "POST", "settle")
        return {status_of(one) for one in waiting} == {"Completed"}

    wait_until(all_paid, "all are paid", seconds=90)
    assert row().state == "Closed"
    for one in waiting:
        assert (count_transfer_orders(sandbox, one), len(sandbox_transfers(sandbox, one))) == (1, 1)
    assert statuses() == Counter(Unknown=FAILURES, Completed=4)
    assert_books_hold()
