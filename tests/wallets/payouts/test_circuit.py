"""The circuit of payouts: who may post, what opens and closes it, and how long it waits."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from tests.environment.processes import wait_until
from tests.factories.wallets import Wallet, make_approved_withdrawal, make_wallet, store_bank_list
from wallets.alerts.models import Alert
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import circuit
from wallets.providers.sandbox import SandboxServer
from wallets.providers.sandbox.faults import Fault
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
LONG = "x" * 400


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_wallet(5_000)


def become(state: str, *, trial: Withdrawal | None = None, **changes: Any) -> None:
    """As if the circuit had come into that state just now."""
    now = timezone.now()
    if state != "Closed":
        opened = {"opened_at": now, "next_probe_at": now + MINUTE}
        PayoutCircuit.objects.update(**{"state": "Open", **opened})
    if state == "Half-open":
        until = None if trial is None else now + 2 * MINUTE
        PayoutCircuit.objects.update(state=state, trial=trial, trial_until=until)
    PayoutCircuit.objects.update(**changes)


def facts() -> object:
    return PayoutCircuit.objects.values(
        "state", "failures", "failed_trials", "reason", "trial_id", "quiet_until"
    ).get()


def test_all_payouts_are_permitted_while_closed_and_none_while_open_or_left_alone(wallet):
    one = make_approved_withdrawal(wallet)
    assert (circuit.acquire_permit(one.id), circuit.accepts_payouts()) == (True, True)
    assert row().trial_id is None
    become("Closed", quiet_until=timezone.now() + MINUTE)
    assert (circuit.acquire_permit(one.id), circuit.is_backing_off()) == (False, True)
    become("Closed", quiet_until=timezone.now() - MINUTE)
    assert (circuit.acquire_permit(one.id), circuit.is_backing_off()) == (True, False)
    become("Open", quiet_until=None)
    assert (circuit.acquire_permit(one.id), circuit.accepts_payouts()) == (False, False)


def test_the_provider_is_left_alone_until_the_moment_it_named_and_not_at_it():
    now = timezone.now()
    for later, quiet in ((timedelta(0), False), (timedelta(microseconds=1), True)):
        assert circuit._is_backing_off(PayoutCircuit(quiet_until=now + later), now) is quiet


def test_one_payout_is_permitted_while_half_open_and_has_two_minutes(wallet):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    become("Half-open", quiet_until=timezone.now() + MINUTE)
    assert (circuit.acquire_permit(one.id), row().trial_id) == (False, None)
    become("Half-open", quiet_until=None)
    assert circuit.accepts_payouts()
    assert circuit.acquire_permit(one.id)
    assert (row().trial_id, minutes_until(row().trial_until)) == (one.id, 2)
    assert (circuit.acquire_permit(other.id), circuit.acquire_permit(one.id)) == (False, False)
    assert not circuit.accepts_payouts()


@pytest.mark.parametrize("response", [circuit.record_acceptance, circuit.record_response])
def test_any_answer_ends_the_row_of_failures_of_a_closed_circuit(wallet, response):
    one = make_approved_withdrawal(wallet)
    for failures in (1, 4):
        become("Closed", failures=failures, reason="broken")
        response(one.id)
        assert (row().state, row().failures, row().reason) == ("Closed", 0, "broken")


@pytest.mark.parametrize("response", [circuit.record_acceptance, circuit.record_response])
def test_where_there_is_no_failure_to_reset_the_circuit_is_only_read(
    wallet, response, django_assert_num_queries
):
    one = make_approved_withdrawal(wallet)
    with django_assert_num_queries(1):
        response(one.id)


def test_there_is_one_circuit_and_a_new_one_would_take_its_place():
    assert PayoutCircuit().pk == row().pk


@pytest.mark.parametrize("response", [circuit.record_acceptance, circuit.record_response])
def test_an_answer_about_another_payout_leaves_the_trial_alone(wallet, response):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    for trial in (None, one):
        become("Open", failures=5, failed_trials=2, reason="broken")
        if trial is not None:
            become("Half-open", trial=trial)
        before = facts()
        response(other.id)
        assert facts() == before


def test_the_acceptance_of_the_trial_closes_the_circuit(
    wallet, task_notifications, django_capture_on_commit_callbacks
):
    one = make_approved_withdrawal(wallet)
    circuit._raise_outage_alert(row())
    # Whatever is counted, it is not closed before.
    become("Half-open", trial=one, failures=0, failed_trials=2, reason="broken")
    with django_capture_on_commit_callbacks(execute=True):
        circuit.record_acceptance(one.id)
    found = row()
    assert (found.state, found.failures, found.failed_trials, found.reason) == ("Closed", 0, 0, "")
    assert (found.opened_at, found.next_probe_at, found.trial_id, found.trial_until) == (
        *(None, None, None, None),
    )
    assert Alert.objects.get().resolved_at is not None
    wait_until(
        lambda: task_notifications == ["wallets.tasks.sweep_payouts"], "payouts are swept", 10
    )


def test_an_answer_that_does_not_accept_the_trial_lets_another_payout_be_tried(wallet):
    one = make_approved_withdrawal(wallet)
    become("Half-open", trial=one, failures=5, failed_trials=2, reason="broken")
    circuit.record_response(one.id)
    found = row()
    assert (found.state, found.failures, found.failed_trials) == ("Half-open", 5, 2)
    assert (found.trial_id, found.trial_until, found.reason) == (None, None, "broken")


def test_the_fifth_failure_in_a_row_opens_the_circuit_and_is_told(wallet):
    one = make_approved_withdrawal(wallet)
    circuit.record_failure(one.id, error="odd", outage=False)
    assert (row().failures, row().reason) == (0, "")
    for number in range(1, 5):
        circuit.record_failure(one.id, error=f"{number}{LONG}")
        found = row()
        assert (found.state, found.failures, found.opened_at) == ("Closed", number, None)
        assert found.reason == f"{number}{LONG}"[:300]
    assert not Alert.objects.exists()
    circuit.record_failure(one.id, error="No answer")
    found = row()
    assert (found.state, found.failures, found.failed_trials) == ("Open", 5, 0)
    assert (minutes_until(found.opened_at), minutes_until(found.next_probe_at)) == (0, 1)
    reported = Alert.objects.get()
    assert (reported.kind, reported.subject, reported.message) == (
        "provider_outage",
        "",
        "Payouts are on hold: the payment provider failed 5 times in a row."
        " Last failure: No answer. Approved payouts are sent once the provider recovers.",
    )
    # A late failure of an order sent before says nothing new.
    circuit.record_failure(one.id, error="late")
    assert (row().failures, row().reason) == (5, "No answer")


@pytest.mark.parametrize("outage", [True, False])
def test_the_failure_of_the_trial_opens_the_circuit_again(wallet, outage):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    become("Half-open", trial=one, failures=5, failed_trials=2, reason="broken")
    before = facts()
    circuit.record_failure(other.id, error="late", outage=outage)
    assert facts() == before
    circuit.record_failure(one.id, error=LONG, outage=outage, retry_after=120)
    found = row()
    assert (found.state, found.failures, found.failed_trials) == ("Open", 5, 3)
    assert (found.trial_id, found.trial_until, found.reason) == (None, None, LONG[:300])
    assert (minutes_until(found.next_probe_at), minutes_until(found.quiet_until)) == (8, 2)
    assert Alert.objects.get().message.count(LONG[:300]) == 1


def asked(sandbox: SandboxServer) -> int:
    """How many requests have reached the provider."""
    return len(sandbox.requests.entries())


def due(**changes: Any) -> None:
    become("Open", **{"next_probe_at": timezone.now(), **changes})


def test_a_good_read_makes_an_open_circuit_half_open(
    sandbox, task_notifications, django_capture_on_commit_callbacks
):
    for idle in (
        lambda: None,
        lambda: become("Open", next_probe_at=timezone.now() + MINUTE),
        lambda: due(quiet_until=timezone.now() + MINUTE),
    ):
        idle()
        circuit.probe_if_due()
        assert asked(sandbox) == 0
    due(quiet_until=timezone.now() - MINUTE, reason="broken")
    with django_capture_on_commit_callbacks(execute=True):
        circuit.probe_if_due()
    assert (asked(sandbox), row().state, row().reason) == (1, "Half-open", "broken")
    assert minutes_until(row().next_probe_at) == 1
    wait_until(
        lambda: task_notifications == ["wallets.tasks.sweep_payouts"], "payouts are swept", 10
    )
    assert not Alert.objects.exists()
    become("Half-open", next_probe_at=timezone.now())
    circuit.probe_if_due()
    assert (asked(sandbox), row().state) == (1, "Half-open")


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
def test_a_read_in_vain_keeps_the_circuit_open_and_is_told(sandbox, fault, options, reason, quiet):
    sandbox.faults.add(Fault(fault=fault, method="GET", path_prefix="/v3/balances", **options))
    due(reason="broken", failed_trials=3)
    circuit.probe_if_due()
    found = row()
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
def test_a_trial_whose_worker_is_gone_counts_as_failed(sandbox, wallet, left, state, trials):
    one = make_approved_withdrawal(wallet)
    become("Half-open", trial=one, failed_trials=2)
    PayoutCircuit.objects.update(trial_until=timezone.now() + left)
    circuit.probe_if_due()
    found = row()
    assert (found.state, found.failed_trials) == (state, trials)
    assert (found.trial_id is None, found.trial_until is None) == (state == "Open",) * 2
    assert asked(sandbox) == 0


def test_whoever_changes_the_circuit_keeps_others_from_it(owner_connection):
    look = "SELECT state FROM wallets_payoutcircuit FOR {} SKIP LOCKED"
    with transaction.atomic():
        circuit._lock()
        assert owner_connection.execute(look.format("SHARE")).fetchall() == []
        assert len(owner_connection.execute(look.format("KEY SHARE")).fetchall()) == 1


def row() -> PayoutCircuit:
    return PayoutCircuit.objects.get()


def minutes_until(moment: datetime | None) -> int:
    assert moment is not None
    return round((moment - timezone.now()).total_seconds() / 60)


def test_probes_come_half_an_hour_apart_at_the_latest():
    waits = []
    for failed_trials in (0, 1, 4, 5, 6, 40):
        with transaction.atomic():
            found = circuit._lock()
            found.opened_at, found.failed_trials = timezone.now(), failed_trials
            circuit._open(found)
            found.save()
        waits.append(minutes_until(row().next_probe_at))
    assert waits == [1, 2, 16, 32, 32, 32]


def test_the_provider_is_left_alone_for_an_hour_at_most_and_no_wish_shortens_another():
    for nothing in (None, 0):
        circuit.back_off(nothing)
        assert (row().quiet_until, circuit.is_backing_off()) == (None, False)
    waits = []
    for minutes in (20, 10, 30, 59, 61, 600):
        circuit.back_off(60 * minutes)
        waits.append(minutes_until(row().quiet_until))
    assert (waits, circuit.is_backing_off()) == ([20, 20, 30, 59, 60, 60], True)
