"""Everything that a confirmed or declined proposal changes."""

import re
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from exchange.core.errors import StateConflict
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.processes import wait_until
from tests.factories.payouts import propose_action
from tests.factories.wallets import (
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    status_of,
)
from tests.wallets.payouts.payout_rows import fail_requests, read_payout, read_values, seconds_until
from tests.wallets.payouts.unresolved_payouts import (
    FAIL,
    HALF_DAY,
    LONG_REASON,
    MAKERS,
    ONLY_UNRESOLVED,
    RETURN,
    REVERSE,
    SEND_AGAIN,
    confirm,
    decisions,
    emitted_types,
    make_unresolved,
    mark_not_found_twice,
    propose,
    rejection,
)
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.ledger.models import Transfer
from wallets.payouts.errors import StatusCheckUnavailable
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


def test_sending_again_resets_the_payout_except_its_attempts(
    sandbox, wallet, task_notifications, django_capture_on_commit_callbacks
):
    one, other = make_unresolved(wallet), make_unresolved(wallet)
    for withdrawal in (one, other):
        raise_alert("payout_differs", subject=withdrawal.reference, message="open")
    before, untouched = read_payout(one), read_values(other)
    events = emitted_types(one)
    proposal, person = propose(one, SEND_AGAIN), make_staff()
    with django_capture_on_commit_callbacks(execute=True):
        moved = confirm(proposal, person)
    assert (moved.pk, moved.status, moved.version) == (one.pk, "Approved", one.version + 1)
    wait_until(lambda: task_notifications == ["wallets.tasks.sweep_payouts"], "payouts are swept")
    payout = read_payout(one)
    assert (payout.claimed_by, payout.leased_until, payout.posted_at) == ("", None, None)
    assert (payout.provider_id, payout.provider_status) == ("", "")
    assert (payout.not_found_count, payout.first_not_found_at) == (0, None)
    assert (payout.last_not_found_at, payout.next_step_at) == (None, payout.updated_at)
    assert seconds_until(payout.updated_at) == 0
    assert (payout.attempts, payout.status_checks) == (before.attempts, before.status_checks)
    assert read_values(other) == untouched
    assert emitted_types(one) == events
    alerts = Alert.objects.filter(resolved_at=None).order_by("kind")
    assert [*alerts.values_list("kind", "subject")] == [
        ("payout_differs", other.reference),
        ("payout_unknown", other.reference),
    ]
    proposal.refresh_from_db()
    assert (proposal.status, proposal.decided_by) == ("Approved", person)
    assert decisions(one)[1:] == [
        ("Confirm", f"staff:{person.pk}", "why", {"action": "Send again"}, one.version)
    ]
    assert_books_hold()


def test_failing_an_unresolved_payout_releases_the_money_and_monitors_it(sandbox, wallet):
    one, other = make_unresolved(wallet), make_unresolved(wallet)
    untouched, had = read_values(other), wallet.kes
    failed = confirm(propose(one, FAIL, LONG_REASON))
    assert [entry["method"] for entry in sandbox.requests.entries()] == ["GET"]
    assert (failed.pk, failed.status, failed.reason) == (one.pk, "Failed", LONG_REASON)
    payout = read_payout(one)
    assert payout.next_step_at == payout.updated_at + HALF_DAY
    assert payout.monitor_until == payout.updated_at + timedelta(days=30)
    assert payout.leased_until is None
    assert read_values(other) == untouched
    assert memo(one, "withdrawal_release") == f"failed: {LONG_REASON}"[:300]
    assert (emitted_types(one)[-1], wallet.kes) == ("failed", (had[0] + 500, had[1] - 500))
    assert_books_hold()


@pytest.mark.parametrize(
    ("action", "status", "event", "kind", "begins"),
    [
        (REVERSE, "Reversed", "reversed", "withdrawal_reverse", "returned: "),
        (RETURN, "Rejected", "rejected", "withdrawal_release", "returned before it was sent: "),
    ],
)
def test_a_reversed_or_returned_payout_is_closed_without_a_status_check(
    sandbox, wallet, action, status, event, kind, begins
):
    one, other = MAKERS[action](wallet), MAKERS[action](wallet)
    untouched, had = read_values(other), wallet.kes
    ended = confirm(propose(one, action, LONG_REASON))
    assert (ended.pk, ended.status, ended.reason) == (one.pk, status, LONG_REASON)
    payout = read_payout(one)
    assert payout.next_step_at is None
    assert seconds_until(payout.updated_at) == 0
    assert read_values(other) == untouched
    assert memo(one, kind) == f"{begins}{LONG_REASON}"[:300]
    back = (470, 0) if action == REVERSE else (500, -500)
    assert (emitted_types(one)[-1], wallet.kes) == (event, (had[0] + back[0], had[1] + back[1]))
    assert sandbox.requests.entries() == []
    came_back = Alert.objects.filter(resolved_at=None).values_list("kind", "subject")
    assert [*came_back] == ([("payout_returned", other.reference)] if action == REVERSE else [])
    assert_books_hold()


def memo(withdrawal: Withdrawal, kind: str) -> str:
    return Transfer.objects.get(subject_id=withdrawal.id, kind=kind).memo


@pytest.mark.parametrize("action", [SEND_AGAIN, FAIL])
def test_a_payout_that_the_provider_now_has_takes_its_status(sandbox, wallet, action):
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    mark_not_found_twice(withdrawal)
    proposal, person = propose(withdrawal, action), make_staff()
    fail_requests(sandbox)
    with assert_nothing_changes(), pytest.raises(StatusCheckUnavailable):
        confirm(proposal, person)
    count = len(sandbox.requests.entries())
    assert rejection(lambda: confirm(proposal, proposal.proposed_by)) == (
        "approver_not_independent",
        "Someone other than the proposer must confirm this",
    )
    assert len(sandbox.requests.entries()) == count
    assert rejection(lambda: confirm(proposal)) == (
        "payout_found",
        "The payment provider now reports this transfer as NEW. The proposal was not executed",
    )
    assert (status_of(withdrawal), read_payout(withdrawal).not_found_count) == ("Unknown", 0)
    proposal.refresh_from_db()
    assert (proposal.status, [d[0] for d in decisions(withdrawal)]) == ("Pending", ["Propose"])
    # It is resolved, so no status check is needed.
    count = len(sandbox.requests.entries())
    assert rejection(lambda: confirm(proposal)) == ONLY_UNRESOLVED
    assert len(sandbox.requests.entries()) == count


@pytest.mark.parametrize("reason", ["", "  not now "])
def test_a_declined_proposal_changes_nothing_and_stays_declined(wallet, reason):
    withdrawal, person = make_approved_withdrawal(wallet), make_staff()
    before = read_values(withdrawal)
    proposal = propose_action(withdrawal, RETURN)
    given = {"reason": reason} if reason else {}
    declined = resolutions.decline(proposal_id=proposal.id, resolver=person, **given)
    proposal.refresh_from_db()
    assert (declined.pk, proposal.status, proposal.decided_by) == (proposal.pk, "Rejected", person)
    assert decisions(withdrawal)[1:] == [
        ("Decline", f"staff:{person.pk}", reason.strip(), {"action": "Return"}, withdrawal.version)
    ]
    assert read_values(withdrawal) == before
    for act in (resolutions.confirm, resolutions.decline):
        with assert_nothing_changes(), pytest.raises(StateConflict) as closed:
            act(proposal_id=proposal.id, resolver=person)
        assert closed.value.message == f"Already rejected by {person}"


def test_the_withdrawal_of_a_proposal_is_locked_before_the_proposal(wallet):
    proposal = propose_action(make_approved_withdrawal(wallet), RETURN)
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        resolutions._lock_confirmable(proposal.id, make_staff())
    locked = [
        re.findall(r'FROM "(\w+)"', query["sql"])[0]
        for query in queries.captured_queries
        if "FOR NO KEY UPDATE" in query["sql"]
    ]
    assert locked == ["wallets_withdrawal", "wallets_proposal"]
