"""What two people decide about a payout: when they may."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest
from django.utils import timezone

from exchange.core.errors import Forbidden, InvalidRequest, Rejected
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.wallets import make_approved_withdrawal, make_staff
from tests.wallets.payouts.payout_rows import token_of, values
from tests.wallets.payouts.unresolved_payouts import (
    CLAIMED,
    FAIL,
    HALF_AN_HOUR,
    HALF_DAY,
    MAKERS,
    MICROSECOND,
    NOT_LOST,
    NOT_RETURNED,
    RETURN,
    REVERSE,
    SEND_AGAIN,
    WHY,
    check,
    confirm,
    decisions,
    every_action,
    lose,
    lost,
    not_found,
    paid,
    propose,
    refusal,
)
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import resolutions
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.models import WithdrawalStatus as Status

pytestmark = pytest.mark.django_db


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
    other = make_approved_withdrawal(wallet)
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
    claimed, person = make_approved_withdrawal(wallet), make_staff()
    token_of(claimed)
    for withdrawal, actions in (
        (wallet.request(), []),
        (make_approved_withdrawal(wallet), [RETURN]),
        (Withdrawal.objects.get(pk=claimed.pk), []),
        (lost(wallet), [SEND_AGAIN, FAIL]),
        (paid(wallet, returned=False), []),
        (paid(wallet), [REVERSE]),
    ):
        assert resolutions.possible_actions(withdrawal) == actions
        for action in {*ProposalAction} - {*actions}:
            with assert_nothing_changes(), pytest.raises(Rejected):
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
    with assert_nothing_changes():
        assert refusal(lambda: propose(withdrawal, action, by=person)) == (
            "state_conflict",
            "Another proposal about this withdrawal is open",
        )


def test_a_proposal_says_why(wallet):
    withdrawal, person = make_approved_withdrawal(wallet), make_staff()
    with assert_nothing_changes():
        found = refusal(lambda: propose(withdrawal, RETURN, " ", person))
    assert found == (InvalidRequest.code, "A proposal needs a reason")


def test_an_open_proposal_that_can_no_longer_be_carried_out_is_declined_by_the_next(wallet):
    withdrawal, person = make_approved_withdrawal(wallet), make_staff()
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
        ("Decline", actor, "No longer possible", {"action": "Return"}, version),
        ("Propose", actor, "why", {"action": "Fail"}, version),
    ]


def test_a_proposal_that_was_declined_stands_in_the_way_of_none(wallet):
    withdrawal = make_approved_withdrawal(wallet)
    declined = propose(withdrawal, RETURN)
    resolutions.decline(proposal_id=declined.id, resolver=make_staff())
    lose(withdrawal)
    assert propose(withdrawal, FAIL).status == "Open"
    assert [decision[0] for decision in decisions(withdrawal)] == ["Propose", "Decline", "Propose"]


def test_who_may_not_resolve_payouts_neither_proposes_nor_confirms_nor_declines(wallet):
    withdrawal, stranger = lost(wallet), make_staff("decide_withdrawal")
    open_one = propose(withdrawal, FAIL)
    with assert_nothing_changes():
        for act in (
            lambda: propose(withdrawal, FAIL, by=stranger),
            lambda: confirm(open_one, stranger),
            lambda: resolutions.decline(proposal_id=open_one.id, resolver=stranger),
        ):
            assert refusal(act) == (
                Forbidden.code,
                "You do not have permission to resolve payouts",
            )
