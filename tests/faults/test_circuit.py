"""An open payout circuit: it holds payouts back, probes the provider and tries one payout.

Decisions §8: one payout at a time is sent on trial after a successful probe, and its outcome closes
the circuit or opens it again.
"""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests.environment.concurrency import Callers
from tests.environment.services import Sandbox
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
from wallets.withdrawals.models import Payout


@pytest.fixture
def wallet(sandbox: Sandbox) -> Wallet:
    store_bank_list()
    return make_member_wallet(1_000_000)


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
    assert count_statuses() == Counter(Unknown=FAILURES + 1, Approved=7)
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


@pytest.mark.slow
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
    complete_payouts(sandbox)
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
        assert count_requests(sandbox) == 0
        PayoutCircuit.objects.update(next_probe_at=timezone.now())
        callers.at_once([circuit.probe_if_due] * WORKERS)
    assert count_requests(sandbox) == 1
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
@pytest.mark.one_in(3)
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
    with pytest.raises(IntegrityError, match="payouts are on hold"), transaction.atomic():
        Payout.objects.filter(withdrawal_id=waiting.id).update(posted_at=timezone.now())
    assert Payout.objects.get(withdrawal_id=waiting.id).posted_at is None
