"""The payout circuit breaker: permits, opening, closing and back-off."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from config.local.sandbox import SandboxServer
from config.local.sandbox.faults import Fault
from tests.environment.processes import wait_until
from tests.factories.wallets import Wallet, make_approved_withdrawal, make_wallet, store_bank_list
from wallets.alerts.models import Alert
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import circuit
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
LONG = "x" * 400


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_wallet(5_000)


def set_circuit(state: str, *, trial: Withdrawal | None = None, **changes: Any) -> None:
    """Put the circuit in `state`, as of now."""
    now = timezone.now()
    if state != "Closed":
        opened = {"opened_at": now, "next_probe_at": now + MINUTE}
        PayoutCircuit.objects.update(**{"state": "Open", **opened})
    if state == "Half-open":
        until = None if trial is None else now + 2 * MINUTE
        PayoutCircuit.objects.update(state=state, trial=trial, trial_until=until)
    PayoutCircuit.objects.update(**changes)


def circuit_values() -> object:
    return PayoutCircuit.objects.values(
        "state", "failures", "failed_trials", "reason", "trial_id", "quiet_until"
    ).get()


def test_payouts_are_permitted_only_while_closed_and_not_backing_off(wallet):
    one = make_approved_withdrawal(wallet)
    assert (circuit.acquire_permit(one.id), circuit.accepts_payouts()) == (True, True)
    assert read_circuit().trial_id is None
    set_circuit("Closed", quiet_until=timezone.now() + MINUTE)
    assert (circuit.acquire_permit(one.id), circuit.is_backing_off()) == (False, True)
    set_circuit("Closed", quiet_until=timezone.now() - MINUTE)
    assert (circuit.acquire_permit(one.id), circuit.is_backing_off()) == (True, False)
    set_circuit("Open", quiet_until=None)
    assert (circuit.acquire_permit(one.id), circuit.accepts_payouts()) == (False, False)


def test_back_off_ends_exactly_at_its_time():
    now = timezone.now()
    for later, quiet in ((timedelta(0), False), (timedelta(microseconds=1), True)):
        assert circuit._is_backing_off(PayoutCircuit(quiet_until=now + later), now) is quiet


def test_half_open_permits_one_payout_for_two_minutes(wallet):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    set_circuit("Half-open", quiet_until=timezone.now() + MINUTE)
    assert (circuit.acquire_permit(one.id), read_circuit().trial_id) == (False, None)
    set_circuit("Half-open", quiet_until=None)
    assert circuit.accepts_payouts()
    assert circuit.acquire_permit(one.id)
    assert (read_circuit().trial_id, minutes_until(read_circuit().trial_until)) == (one.id, 2)
    assert (circuit.acquire_permit(other.id), circuit.acquire_permit(one.id)) == (False, False)
    assert not circuit.accepts_payouts()


@pytest.mark.parametrize("response", [circuit.record_acceptance, circuit.record_response])
def test_any_response_resets_the_failures_of_a_closed_circuit(wallet, response):
    one = make_approved_withdrawal(wallet)
    for failures in (1, 4):
        set_circuit("Closed", failures=failures, reason="broken")
        response(one.id)
        assert (read_circuit().state, read_circuit().failures, read_circuit().reason) == (
            "Closed",
            0,
            "broken",
        )


@pytest.mark.parametrize("response", [circuit.record_acceptance, circuit.record_response])
def test_a_response_without_failures_only_reads_the_circuit(
    wallet, response, django_assert_num_queries
):
    one = make_approved_withdrawal(wallet)
    with django_assert_num_queries(1):
        response(one.id)


def test_the_circuit_is_a_single_row():
    assert PayoutCircuit().pk == read_circuit().pk


@pytest.mark.parametrize("response", [circuit.record_acceptance, circuit.record_response])
def test_a_response_to_another_payout_does_not_change_the_trial(wallet, response):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    for trial in (None, one):
        set_circuit("Open", failures=5, failed_trials=2, reason="broken")
        if trial is not None:
            set_circuit("Half-open", trial=trial)
        before = circuit_values()
        response(other.id)
        assert circuit_values() == before


def test_acceptance_of_the_trial_closes_the_circuit(
    wallet, task_notifications, django_capture_on_commit_callbacks
):
    one = make_approved_withdrawal(wallet)
    circuit._raise_outage_alert(read_circuit())
    # Counters alone do not close it.
    set_circuit("Half-open", trial=one, failures=0, failed_trials=2, reason="broken")
    with django_capture_on_commit_callbacks(execute=True):
        circuit.record_acceptance(one.id)
    found = read_circuit()
    assert (found.state, found.failures, found.failed_trials, found.reason) == ("Closed", 0, 0, "")
    assert (found.opened_at, found.next_probe_at, found.trial_id, found.trial_until) == (
        *(None, None, None, None),
    )
    assert Alert.objects.get().resolved_at is not None
    wait_until(lambda: task_notifications == ["wallets.tasks.sweep_payouts"], "payouts are swept")


def test_a_trial_that_is_not_accepted_makes_room_for_another(wallet):
    one = make_approved_withdrawal(wallet)
    set_circuit("Half-open", trial=one, failures=5, failed_trials=2, reason="broken")
    circuit.record_response(one.id)
    found = read_circuit()
    assert (found.state, found.failures, found.failed_trials) == ("Half-open", 5, 2)
    assert (found.trial_id, found.trial_until, found.reason) == (None, None, "broken")


def test_the_fifth_consecutive_failure_opens_the_circuit_and_raises_an_alert(wallet):
    one = make_approved_withdrawal(wallet)
    circuit.record_failure(one.id, error="odd", outage=False)
    assert (read_circuit().failures, read_circuit().reason) == (0, "")
    for number in range(1, 5):
        circuit.record_failure(one.id, error=f"{number}{LONG}")
        found = read_circuit()
        assert (found.state, found.failures, found.opened_at) == ("Closed", number, None)
        assert found.reason == f"{number}{LONG}"[:300]
    assert not Alert.objects.exists()
    circuit.record_failure(one.id, error="No answer")
    found = read_circuit()
    assert (found.state, found.failures, found.failed_trials) == ("Open", 5, 0)
    assert (minutes_until(found.opened_at), minutes_until(found.next_probe_at)) == (0, 1)
    alert = Alert.objects.get()
    assert (alert.kind, alert.subject, alert.message) == (
        "provider_outage",
        "",
        "Payouts are on hold: the payment provider failed 5 times in a row."
        " Last failure: No answer. Approved payouts are sent once the provider recovers.",
    )
    # A late failure of an earlier order changes nothing.
    circuit.record_failure(one.id, error="late")
    assert (read_circuit().failures, read_circuit().reason) == (5, "No answer")


@pytest.mark.parametrize("outage", [True, False])
def test_failure_of_the_trial_reopens_the_circuit(wallet, outage):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    set_circuit("Half-open", trial=one, failures=5, failed_trials=2, reason="broken")
    before = circuit_values()
    circuit.record_failure(other.id, error="late", outage=outage)
    assert circuit_values() == before
    circuit.record_failure(one.id, error=LONG, outage=outage, retry_after=120)
    found = read_circuit()
    assert (found.state, found.failures, found.failed_trials) == ("Open", 5, 3)
    assert (found.trial_id, found.trial_until, found.reason) == (None, None, LONG[:300])
    assert (minutes_until(found.next_probe_at), minutes_until(found.quiet_until)) == (8, 2)
    assert Alert.objects.get().message.count(LONG[:300]) == 1


def count_requests(sandbox: SandboxServer) -> int:
    """Count the requests that reached the provider."""
    return len(sandbox.requests.entries())


def make_probe_due(**changes: Any) -> None:
    set_circuit("Open", **{"next_probe_at": timezone.now(), **changes})


def test_a_successful_probe_makes_an_open_circuit_half_open(
    sandbox, task_notifications, django_capture_on_commit_callbacks
):
    for idle in (
        lambda: None,
        lambda: set_circuit("Open", next_probe_at=timezone.now() + MINUTE),
        lambda: make_probe_due(quiet_until=timezone.now() + MINUTE),
    ):
        idle()
        circuit.probe_if_due()
        assert count_requests(sandbox) == 0
    make_probe_due(quiet_until=timezone.now() - MINUTE, reason="broken")
    with django_capture_on_commit_callbacks(execute=True):
        circuit.probe_if_due()
    assert (count_requests(sandbox), read_circuit().state, read_circuit().reason) == (
        1,
        "Half-open",
        "broken",
    )
    assert minutes_until(read_circuit().next_probe_at) == 1
    wait_until(lambda: task_notifications == ["wallets.tasks.sweep_payouts"], "payouts are swept")
    assert not Alert.objects.exists()
    set_circuit("Half-open", next_probe_at=timezone.now())
    circuit.probe_if_due()
    assert (count_requests(sandbox), read_circuit().state) == (1, "Half-open")


@pytest.mark.parametrize(
    ("fault", "options", "reason", "quiet"),
    [
        ("error_5xx", {}, "the provider failed (503)", None),
        (
            "rate_limit",
            {"retry_after": 120},
            "the provider limits the request rate (429)",
            2,
        ),
    ],
)
def test_a_failed_probe_keeps_the_circuit_open_and_raises_an_alert(
    sandbox, fault, options, reason, quiet
):
    sandbox.faults.add(Fault(fault=fault, method="GET", path_prefix="/v3/balances", **options))
    make_probe_due(reason="broken", failed_trials=3)
    circuit.probe_if_due()
    found = read_circuit()
    assert (found.state, found.failed_trials, found.reason) == ("Open", 3, reason)
    assert minutes_until(found.next_probe_at) == 1
    waits = None if found.quiet_until is None else minutes_until(found.quiet_until)
    assert waits == quiet
    assert f"Last failure: {reason}." in Alert.objects.get().message


@pytest.mark.parametrize(
    ("left", "state", "trials"),
    [(timedelta(seconds=5), "Half-open", 2), (timedelta(seconds=-1), "Open", 3)],
    ids=["at work", "gone"],
)
def test_a_trial_whose_worker_died_counts_as_failed(sandbox, wallet, left, state, trials):
    one = make_approved_withdrawal(wallet)
    set_circuit("Half-open", trial=one, failed_trials=2)
    PayoutCircuit.objects.update(trial_until=timezone.now() + left)
    circuit.probe_if_due()
    found = read_circuit()
    assert (found.state, found.failed_trials) == (state, trials)
    assert (found.trial_id is None, found.trial_until is None) == (state == "Open",) * 2
    assert count_requests(sandbox) == 0


def test_a_change_locks_the_circuit(owner_connection):
    look = "SELECT state FROM wallets_payoutcircuit FOR {} SKIP LOCKED"
    with transaction.atomic():
        circuit._lock()
        assert owner_connection.execute(look.format("SHARE")).fetchall() == []
        assert len(owner_connection.execute(look.format("KEY SHARE")).fetchall()) == 1


def read_circuit() -> PayoutCircuit:
    return PayoutCircuit.objects.get()


def minutes_until(moment: datetime | None) -> int:
    assert moment is not None
    return round((moment - timezone.now()).total_seconds() / 60)


def test_probes_are_at_most_half_an_hour_apart():
    waits = []
    for failed_trials in (0, 1, 4, 5, 6, 40):
        with transaction.atomic():
            found = circuit._lock()
            found.opened_at, found.failed_trials = timezone.now(), failed_trials
            circuit._open(found)
            found.save()
        waits.append(minutes_until(read_circuit().next_probe_at))
    assert waits == [1, 2, 16, 32, 32, 32]


def test_back_off_lasts_an_hour_at_most_and_is_never_shortened():
    for nothing in (None, 0):
        circuit.back_off(nothing)
        assert (read_circuit().quiet_until, circuit.is_backing_off()) == (None, False)
    waits = []
    for minutes in (20, 10, 30, 59, 61, 600):
        circuit.back_off(60 * minutes)
        waits.append(minutes_until(read_circuit().quiet_until))
    assert (waits, circuit.is_backing_off()) == ([20, 20, 30, 59, 60, 60], True)
