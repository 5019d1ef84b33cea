"""What two people decide about a payout: when they may, and all that it changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from exchange.core.errors import DomainError, Forbidden, InvalidRequest, Refused, StateConflict
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import nothing_moves
from tests.environment.processes import wait_until
from tests.factories.payouts import proposed
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    approved,
    assert_books_hold,
    make_staff,
    status_of,
)
from tests.wallets.payouts.payout_rows import (
    change,
    fail,
    marked,
    record_of,
    row,
    seconds,
    token_of,
    values,
)
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.ledger.models import Transfer
from wallets.payouts.errors import TransferLookUpUnavailable
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import paying as payouts
from wallets.payouts.services import resolutions, settlement
from wallets.providers.base import TransferStatus
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.models import WithdrawalStatus as Status

pytestmark = pytest.mark.django_db

MICROSECOND = timedelta(microseconds=1)
HALF_AN_HOUR, HALF_DAY = timedelta(minutes=30), timedelta(hours=12)
SEND_AGAIN, FAIL = ProposalAction.SEND_AGAIN, ProposalAction.FAIL
REVERSE, RETURN = ProposalAction.REVERSE, ProposalAction.RETURN
check = resolutions._check_possible
# As long as a reason may be, and no two parts of it alike.
WHY = "".join(f"{number:04}" for number in range(125))
NOT_LOST = (
    "payout_not_lost",
    "Only an Unknown withdrawal that the provider did not know twice, 30 minutes apart, is lost",
)
NOT_RETURNED = (
    "payout_not_returned",
    "Only a Completed withdrawal that the provider says the bank returned can be reversed",
)
CLAIMED = (
    "payout_not_waiting",
    "Only an Approved withdrawal whose payout nobody has claimed can be returned",
)


def lost(wallet: Wallet) -> Withdrawal:
    """Not found twice, half an hour apart."""
    withdrawal = approved(wallet)
    lose(withdrawal)
    return Withdrawal.objects.get(pk=withdrawal.pk)


def lose(withdrawal: Withdrawal) -> None:
    marked(withdrawal)
    not_found_twice(withdrawal)
    change(
        withdrawal,
        leased_until=HALF_DAY,
        claimed_by="claim_old",
        provider_id="77",
        provider_status="PENDING",
    )


def not_found_twice(withdrawal: Withdrawal) -> None:
    settlement.lose(withdrawal.id, error="silence", not_found=True)
    now = timezone.now()
    change(
        withdrawal,
        not_found_count=2,
        first_not_found_at=now - HALF_AN_HOUR,
        last_not_found_at=now,
    )


def paid(wallet: Wallet, *, returned: bool = True) -> Withdrawal:
    """Completed, and returned by the bank."""
    withdrawal = approved(wallet)
    marked(withdrawal)
    withdrawal = Withdrawal.objects.select_related("bank").get(pk=withdrawal.pk)
    outcomes = [TransferStatus.SUCCESSFUL, TransferStatus.FAILED]
    for status in outcomes[: 1 + returned]:
        settlement.apply_record(withdrawal.id, record_of(withdrawal, status), actor=SYSTEM)
    return Withdrawal.objects.get(pk=withdrawal.pk)


MAKERS: dict[ProposalAction, Callable[[Wallet], Withdrawal]] = {
    SEND_AGAIN: lost,
    FAIL: lost,
    REVERSE: paid,
    RETURN: approved,
}
every_action = pytest.mark.parametrize("action", ProposalAction)


def propose(
    withdrawal: Withdrawal, action: ProposalAction, reason: str = "why", by: StaffUser | None = None
) -> Proposal:
    return resolutions.propose(
        withdrawal_id=withdrawal.id, action=action, reason=reason, proposer=by or make_staff()
    )


def confirm(proposal: Proposal, by: StaffUser | None = None) -> Withdrawal:
    return resolutions.confirm(proposal_id=proposal.id, resolver=by or make_staff())


def told(withdrawal: Withdrawal) -> list[str]:
    events = Event.objects.filter(subject_id=withdrawal.id).order_by("id")
    return [kind.removeprefix("withdrawal.") for kind in events.values_list("type", flat=True)]


def decisions(withdrawal: Withdrawal) -> list[tuple[Any, ...]]:
    """What was recorded since it was approved."""
    rows = withdrawal.decisions.exclude(verdict="Approve").order_by("id")
    return [*rows.values_list("verdict", "actor", "reason", "details", "version")]


def refusal(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(DomainError) as refused:
        act()
    return refused.value.code, refused.value.message


def not_found(count: int, first: datetime | None, last: datetime | None) -> Payout:
    return Payout(not_found_count=count, first_not_found_at=first, last_not_found_at=last)


def test_an_unknown_payout_that_was_not_found_twice_is_lost_and_nothing_else_is():
    now = timezone.now()
    half_an_hour_ago, too_late = now - HALF_AN_HOUR, now - HALF_AN_HOUR + MICROSECOND
    lost_ones = [not_found(2, half_an_hour_ago, now), not_found(3, now - HALF_DAY, now)]
    others = [
        None,
        not_found(0, None, None),
        not_found(1, half_an_hour_ago, now),
        not_found(2, too_late, now),
        not_found(2, None, now),
        not_found(2, half_an_hour_ago, None),
    ]
    for status, action in product(Status, (SEND_AGAIN, FAIL)):
        withdrawal = Withdrawal(status=status)
        if status == Status.UNKNOWN:
            for each in lost_ones:
                check(withdrawal, action, each)
        for payout in others if status == Status.UNKNOWN else [None, *lost_ones]:
            found = refusal(partial(check, withdrawal, action, payout))
            assert found == NOT_LOST, (status, payout)


def test_how_far_apart_a_payout_is_not_found_is_a_setting(settings):
    settings.PAYOUT_LOST_AFTER_SECONDS = 3600
    now = timezone.now()
    payout = not_found(2, now - HALF_AN_HOUR, now)
    code, message = refusal(partial(check, Withdrawal(status=Status.UNKNOWN), FAIL, payout))
    assert (code, message) == (NOT_LOST[0], NOT_LOST[1].replace("30 minutes", "60 minutes"))


def test_a_completed_payout_that_the_bank_returned_is_reversed_and_nothing_else_is():
    now = timezone.now()
    returned = Payout(provider_status="FAILED", settled_at=now)
    others = [
        None,
        Payout(provider_status="SUCCESSFUL", settled_at=now),
        Payout(provider_status="FAILED"),
    ]
    for status in Status:
        withdrawal = Withdrawal(status=status)
        if status == Status.COMPLETED:
            check(withdrawal, REVERSE, returned)
        for payout in others if status == Status.COMPLETED else [returned, None]:
            found = refusal(partial(check, withdrawal, REVERSE, payout))
            assert found == NOT_RETURNED, (status, payout)


def test_an_approved_payout_that_nobody_has_claimed_is_returned_and_nothing_else_is(wallet):
    for status in Status:
        for payout in (None, Payout(), Payout(claimed_by="claim_x")):
            if status == Status.APPROVED and payout is not None and not payout.claimed_by:
                continue
            withdrawal = Withdrawal(status=status)
            found = refusal(partial(check, withdrawal, RETURN, payout))
            assert found == CLAIMED, (status, payout)
    withdrawal = lost(wallet)
    # Of proposals to send it again only the one that was confirmed counts.
    first = propose(withdrawal, SEND_AGAIN)
    resolutions.decline(proposal_id=first.id, resolver=make_staff())
    other = approved(wallet)
    other_lost = lost(wallet)
    confirm(propose(other_lost, SEND_AGAIN))
    check(other, RETURN, Payout())
    check(Withdrawal(id=withdrawal.id, status=Status.APPROVED), RETURN, Payout())
    confirm(propose(withdrawal, SEND_AGAIN))
    sent_again = Withdrawal.objects.get(pk=withdrawal.pk)
    assert refusal(lambda: propose(sent_again, RETURN)) == (
        "payout_not_waiting",
        "This payout was sent before and may have been paid, so it cannot be returned",
    )


def test_what_may_be_proposed_about_a_payout_as_it_stands(wallet):
    claimed, person = approved(wallet), make_staff()
    token_of(claimed)
    for withdrawal, actions in (
        (wallet.request(), []),
        (approved(wallet), [RETURN]),
        (Withdrawal.objects.get(pk=claimed.pk), []),
        (lost(wallet), [SEND_AGAIN, FAIL]),
        (paid(wallet, returned=False), []),
        (paid(wallet), [REVERSE]),
    ):
        assert resolutions.possible_actions(withdrawal) == actions
        for action in {*ProposalAction} - {*actions}:
            with nothing_moves(), pytest.raises(Refused):
                propose(withdrawal, action, by=person)


@every_action
def test_a_proposal_is_open_and_on_record_and_the_only_one(wallet, action):
    withdrawal, person = MAKERS[action](wallet), make_staff()
    before = values(withdrawal)
    proposal = propose(withdrawal, action, f"  {WHY}\n", person)
    proposal.refresh_from_db()
    assert (proposal.withdrawal_id, proposal.action, proposal.status) == (
        withdrawal.id, action, "Open",
    )  # fmt: skip
    assert (proposal.reason, proposal.proposed_by, proposal.decided_by) == (WHY, person, None)
    assert decisions(withdrawal) == [
        ("Propose", f"staff:{person.pk}", WHY, {"action": action}, withdrawal.version)
    ]
    assert values(withdrawal) == before
    with nothing_moves():
        assert refusal(lambda: propose(withdrawal, action, by=person)) == (
            "state_conflict",
            "Another proposal about this withdrawal is open",
        )


def test_a_proposal_says_why(wallet):
    withdrawal, person = approved(wallet), make_staff()
    with nothing_moves():
        found = refusal(lambda: propose(withdrawal, RETURN, " ", person))
    assert found == (InvalidRequest.code, "A proposal needs a reason")


def test_an_open_proposal_that_can_no_longer_be_carried_out_is_declined_by_the_next(wallet):
    withdrawal, person = approved(wallet), make_staff()
    first = propose(withdrawal, RETURN)
    resolutions.decline(proposal_id=first.id, resolver=make_staff())
    second = propose(withdrawal, RETURN)
    lose(withdrawal)
    third = propose(withdrawal, FAIL, by=person)
    second.refresh_from_db()
    assert (second.status, second.decided_by, third.status) == ("Declined", person, "Open")
    version = Withdrawal.objects.get(pk=withdrawal.pk).version
    actor = f"staff:{person.pk}"
    assert decisions(withdrawal)[-2:] == [
        ("Decline", actor, "It could no longer be carried out", {"action": "Return"}, version),
        ("Propose", actor, "why", {"action": "Fail"}, version),
    ]


def test_a_proposal_that_was_declined_stands_in_the_way_of_none(wallet):
    withdrawal = approved(wallet)
    declined = propose(withdrawal, RETURN)
    resolutions.decline(proposal_id=declined.id, resolver=make_staff())
    lose(withdrawal)
    assert propose(withdrawal, FAIL).status == "Open"
    assert [decision[0] for decision in decisions(withdrawal)] == ["Propose", "Decline", "Propose"]


def test_who_may_not_resolve_payouts_neither_proposes_nor_confirms_nor_declines(wallet):
    withdrawal, stranger = lost(wallet), make_staff("decide_withdrawal")
    open_one = propose(withdrawal, FAIL)
    with nothing_moves():
        for act in (
            lambda: propose(withdrawal, FAIL, by=stranger),
            lambda: confirm(open_one, stranger),
            lambda: resolutions.decline(proposal_id=open_one.id, resolver=stranger),
        ):
            assert refusal(act) == (
                Forbidden.code,
                "You may not decide about lost and returned payouts",
            )


def test_a_lost_payout_that_is_sent_again_is_as_new_but_for_its_attempts(
    sandbox, wallet, hints, django_capture_on_commit_callbacks
):
    one, other = lost(wallet), lost(wallet)
    for withdrawal in (one, other):
        raise_alert("payout_differs", subject=withdrawal.reference, message="open")
    before, untouched = row(one), values(other)
    events = told(one)
    proposal, person = propose(one, SEND_AGAIN), make_staff()
    with django_capture_on_commit_callbacks(execute=True):
        moved = confirm(proposal, person)
    assert (moved.pk, moved.status, moved.version) == (one.pk, "Approved", one.version + 1)
    wait_until(lambda: hints == ["wallets.tasks.sweep_payouts"], "payouts are swept", 10)
    payout = row(one)
    assert (payout.claimed_by, payout.leased_until, payout.posted_at) == ("", None, None)
    assert (payout.provider_id, payout.provider_status) == ("", "")
    assert (payout.not_found_count, payout.first_not_found_at) == (0, None)
    assert (payout.last_not_found_at, payout.next_step_at) == (None, payout.updated_at)
    assert seconds(payout.updated_at) == 0
    assert (payout.attempts, payout.look_ups) == (before.attempts, before.look_ups)
    assert values(other) == untouched
    assert told(one) == events
    alerts = Alert.objects.filter(resolved_at=None).order_by("kind")
    assert [*alerts.values_list("kind", "subject")] == [
        ("payout_differs", other.reference),
        ("payout_unknown", other.reference),
    ]
    proposal.refresh_from_db()
    assert (proposal.status, proposal.decided_by) == ("Confirmed", person)
    assert decisions(one)[1:] == [
        ("Confirm", f"staff:{person.pk}", "why", {"action": "Send again"}, one.version)
    ]
    assert_books_hold()


def test_a_lost_payout_that_is_failed_gives_the_money_back_and_is_watched(sandbox, wallet):
    one, other = lost(wallet), lost(wallet)
    untouched, had = values(other), wallet.kes
    failed = confirm(propose(one, FAIL, WHY))
    assert [entry["method"] for entry in sandbox.requests.entries()] == ["GET"]
    assert (failed.pk, failed.status, failed.reason) == (one.pk, "Failed", WHY)
    payout = row(one)
    assert payout.next_step_at == payout.updated_at + HALF_DAY
    assert payout.watch_until == payout.updated_at + timedelta(days=30)
    assert payout.leased_until is None
    assert values(other) == untouched
    assert memo(one, "withdrawal_release") == f"failed: {WHY}"[:300]
    assert (told(one)[-1], wallet.kes) == ("failed", (had[0] + 500, had[1] - 500))
    assert_books_hold()


@pytest.mark.parametrize(
    ("action", "status", "event", "kind", "begins"),
    [
        (REVERSE, "Reversed", "reversed", "withdrawal_reverse", "returned: "),
        (RETURN, "Rejected", "rejected", "withdrawal_release", "returned before it was sent: "),
    ],
)
def test_what_is_reversed_or_returned_is_over_and_the_provider_is_not_asked(
    sandbox, wallet, action, status, event, kind, begins
):
    one, other = MAKERS[action](wallet), MAKERS[action](wallet)
    untouched, had = values(other), wallet.kes
    ended = confirm(propose(one, action, WHY))
    assert (ended.pk, ended.status, ended.reason) == (one.pk, status, WHY)
    payout = row(one)
    assert payout.next_step_at is None
    assert seconds(payout.updated_at) == 0
    assert values(other) == untouched
    assert memo(one, kind) == f"{begins}{WHY}"[:300]
    back = (470, 0) if action == REVERSE else (500, -500)
    assert (told(one)[-1], wallet.kes) == (event, (had[0] + back[0], had[1] + back[1]))
    assert sandbox.requests.entries() == []
    came_back = Alert.objects.filter(resolved_at=None).values_list("kind", "subject")
    assert [*came_back] == ([("payout_returned", other.reference)] if action == REVERSE else [])
    assert_books_hold()


def memo(withdrawal: Withdrawal, kind: str) -> str:
    return Transfer.objects.get(subject_id=withdrawal.id, kind=kind).memo


@pytest.mark.parametrize("action", [SEND_AGAIN, FAIL])
def test_a_payout_that_the_provider_knows_by_now_is_as_the_provider_has_it(sandbox, wallet, action):
    withdrawal = approved(wallet)
    payouts.pay(withdrawal.id)
    not_found_twice(withdrawal)
    proposal, person = propose(withdrawal, action), make_staff()
    fail(sandbox)
    with nothing_moves(), pytest.raises(TransferLookUpUnavailable):
        confirm(proposal, person)
    asked = len(sandbox.requests.entries())
    assert refusal(lambda: confirm(proposal, proposal.proposed_by)) == (
        "approver_not_independent",
        "Somebody else must confirm what you proposed",
    )
    assert len(sandbox.requests.entries()) == asked
    assert refusal(lambda: confirm(proposal)) == (
        "payout_found",
        "The payment provider knows this transfer after all, as NEW."
        " The proposal was not carried out",
    )
    assert (status_of(withdrawal), row(withdrawal).not_found_count) == ("Unknown", 0)
    proposal.refresh_from_db()
    assert (proposal.status, [d[0] for d in decisions(withdrawal)]) == ("Open", ["Propose"])
    # It is not lost any more, so there is nothing to ask about.
    asked = len(sandbox.requests.entries())
    assert refusal(lambda: confirm(proposal)) == NOT_LOST
    assert len(sandbox.requests.entries()) == asked


@pytest.mark.parametrize("reason", ["", "  not now "])
def test_a_proposal_that_is_declined_does_nothing_and_stays_declined(wallet, reason):
    withdrawal, person = approved(wallet), make_staff()
    before = values(withdrawal)
    proposal = proposed(withdrawal, RETURN)
    given = {"reason": reason} if reason else {}
    declined = resolutions.decline(proposal_id=proposal.id, resolver=person, **given)
    proposal.refresh_from_db()
    assert (declined.pk, proposal.status, proposal.decided_by) == (proposal.pk, "Declined", person)
    assert decisions(withdrawal)[1:] == [
        ("Decline", f"staff:{person.pk}", reason.strip(), {"action": "Return"}, withdrawal.version)
    ]
    assert values(withdrawal) == before
    for act in (resolutions.confirm, resolutions.decline):
        with nothing_moves(), pytest.raises(StateConflict) as closed:
            act(proposal_id=proposal.id, resolver=person)
        assert closed.value.message == "The proposal is Declined already"


def test_the_withdrawal_of_a_proposal_is_locked_before_the_proposal(wallet):
    proposal = proposed(approved(wallet), RETURN)
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        resolutions._confirmable(proposal.id, make_staff())
    locked = [
        re.findall(r'FROM "(\w+)"', query["sql"])[0]
        for query in asked.captured_queries
        if "FOR NO KEY UPDATE" in query["sql"]
    ]
    assert locked == ["wallets_withdrawal", "wallets_proposal"]
