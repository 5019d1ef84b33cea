"""Proposals on payouts: when each action is possible."""

from functools import partial
from itertools import product

import pytest
from django.utils import timezone

from exchange.core.errors import Forbidden, InvalidRequest, Rejected
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.wallets import make_approved_withdrawal, make_staff
from tests.wallets.payouts.payout_rows import claim_payout, read_values
from tests.wallets.payouts.unresolved_payouts import (
    FAIL,
    HALF_AN_HOUR,
    HALF_DAY,
    LONG_REASON,
    MAKERS,
    MICROSECOND,
    ONLY_RETURNED,
    ONLY_UNCLAIMED,
    ONLY_UNRESOLVED,
    RETURN,
    REVERSE,
    SEND_AGAIN,
    check,
    confirm,
    decisions,
    every_action,
    make_completed,
    make_unresolved,
    mark_unresolved,
    not_found_payout,
    propose,
    rejection,
)
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import resolutions
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.models import WithdrawalStatus as Status

pytestmark = pytest.mark.django_db


def test_only_an_unknown_payout_not_found_twice_is_unresolved():
    now = timezone.now()
    half_an_hour_ago, too_late = now - HALF_AN_HOUR, now - HALF_AN_HOUR + MICROSECOND
    unresolved = [
        not_found_payout(2, half_an_hour_ago, now),
        not_found_payout(3, now - HALF_DAY, now),
    ]
    others = [
        None,
        not_found_payout(0, None, None),
        not_found_payout(1, half_an_hour_ago, now),
        not_found_payout(2, too_late, now),
        not_found_payout(2, None, now),
        not_found_payout(2, half_an_hour_ago, None),
    ]
    for status, action in product(Status, (SEND_AGAIN, FAIL)):
        withdrawal = Withdrawal(status=status)
        if status == Status.UNKNOWN:
            for each in unresolved:
                check(withdrawal, action, each)
        for payout in others if status == Status.UNKNOWN else [None, *unresolved]:
            found = rejection(partial(check, withdrawal, action, payout))
            assert found == ONLY_UNRESOLVED, (status, payout)


def test_the_time_between_two_status_checks_is_a_setting(settings):
    settings.PAYOUT_UNKNOWN_AFTER_SECONDS = 3600
    now = timezone.now()
    payout = not_found_payout(2, now - HALF_AN_HOUR, now)
    code, message = rejection(partial(check, Withdrawal(status=Status.UNKNOWN), FAIL, payout))
    assert (code, message) == (
        ONLY_UNRESOLVED[0],
        ONLY_UNRESOLVED[1].replace("30 minutes", "60 minutes"),
    )


def test_only_a_completed_payout_that_the_bank_returned_can_be_reversed():
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
            found = rejection(partial(check, withdrawal, REVERSE, payout))
            assert found == ONLY_RETURNED, (status, payout)


def test_only_an_approved_payout_without_a_claim_can_be_returned(wallet):
    for status in Status:
        for payout in (None, Payout(), Payout(claimed_by="claim_x")):
            if status == Status.APPROVED and payout is not None and not payout.claimed_by:
                continue
            withdrawal = Withdrawal(status=status)
            found = rejection(partial(check, withdrawal, RETURN, payout))
            assert found == ONLY_UNCLAIMED, (status, payout)
    withdrawal = make_unresolved(wallet)
    # Only a confirmed proposal to send it again counts.
    first = propose(withdrawal, SEND_AGAIN)
    resolutions.decline(proposal_id=first.id, resolver=make_staff())
    other = make_approved_withdrawal(wallet)
    other_unresolved = make_unresolved(wallet)
    confirm(propose(other_unresolved, SEND_AGAIN))
    check(other, RETURN, Payout())
    check(Withdrawal(id=withdrawal.id, status=Status.APPROVED), RETURN, Payout())
    confirm(propose(withdrawal, SEND_AGAIN))
    sent_again = Withdrawal.objects.get(pk=withdrawal.pk)
    assert rejection(lambda: propose(sent_again, RETURN)) == (
        "payout_not_waiting",
        "This payout was sent before and may have been paid, so it cannot be returned",
    )


def test_possible_proposals_depend_on_the_state_of_the_payout(wallet):
    claimed, person = make_approved_withdrawal(wallet), make_staff()
    claim_payout(claimed)
    for withdrawal, actions in (
        (wallet.request(), []),
        (make_approved_withdrawal(wallet), [RETURN]),
        (Withdrawal.objects.get(pk=claimed.pk), []),
        (make_unresolved(wallet), [SEND_AGAIN, FAIL]),
        (make_completed(wallet, returned=False), []),
        (make_completed(wallet), [REVERSE]),
    ):
        assert resolutions.possible_actions(withdrawal) == actions
        for action in {*ProposalAction} - {*actions}:
            with assert_nothing_changes(), pytest.raises(Rejected):
                propose(withdrawal, action, by=person)


@every_action
@pytest.mark.one_in(3)
def test_a_proposal_is_recorded_and_only_one_is_open(wallet, action):
    withdrawal, person = MAKERS[action](wallet), make_staff()
    before = read_values(withdrawal)
    proposal = propose(withdrawal, action, f"  {LONG_REASON}\n", person)
    proposal.refresh_from_db()
    assert (proposal.withdrawal_id, proposal.action, proposal.status) == (
        withdrawal.id, action, "Pending",
    )  # fmt: skip
    assert (proposal.reason, proposal.proposed_by, proposal.decided_by) == (
        LONG_REASON,
        person,
        None,
    )
    assert decisions(withdrawal) == [
        ("Propose", f"staff:{person.pk}", LONG_REASON, {"action": action}, withdrawal.version)
    ]
    assert read_values(withdrawal) == before
    with assert_nothing_changes():
        assert rejection(lambda: propose(withdrawal, action, by=person)) == (
            "state_conflict",
            "Another proposal about this withdrawal is open",
        )


def test_a_proposal_needs_a_reason(wallet):
    withdrawal, person = make_approved_withdrawal(wallet), make_staff()
    with assert_nothing_changes():
        found = rejection(lambda: propose(withdrawal, RETURN, " ", person))
    assert found == (InvalidRequest.code, "Enter a reason for the proposal")


def test_an_open_proposal_that_became_impossible_is_declined_by_the_next(wallet):
    withdrawal, person = make_approved_withdrawal(wallet), make_staff()
    first = propose(withdrawal, RETURN)
    resolutions.decline(proposal_id=first.id, resolver=make_staff())
    second = propose(withdrawal, RETURN)
    mark_unresolved(withdrawal)
    third = propose(withdrawal, FAIL, by=person)
    second.refresh_from_db()
    assert (second.status, second.decided_by, third.status) == ("Rejected", person, "Pending")
    version = Withdrawal.objects.get(pk=withdrawal.pk).version
    actor = f"staff:{person.pk}"
    assert decisions(withdrawal)[-2:] == [
        ("Decline", actor, "No longer possible", {"action": "Return"}, version),
        ("Propose", actor, "why", {"action": "Fail"}, version),
    ]


def test_a_declined_proposal_does_not_block_a_new_one(wallet):
    withdrawal = make_approved_withdrawal(wallet)
    declined = propose(withdrawal, RETURN)
    resolutions.decline(proposal_id=declined.id, resolver=make_staff())
    mark_unresolved(withdrawal)
    assert propose(withdrawal, FAIL).status == "Pending"
    assert [decision[0] for decision in decisions(withdrawal)] == ["Propose", "Decline", "Propose"]


def test_proposing_confirming_and_declining_need_the_permission(wallet):
    withdrawal, stranger = make_unresolved(wallet), make_staff("decide_withdrawal")
    open_one = propose(withdrawal, FAIL)
    with assert_nothing_changes():
        for act in (
            lambda: propose(withdrawal, FAIL, by=stranger),
            lambda: confirm(open_one, stranger),
            lambda: resolutions.decline(proposal_id=open_one.id, resolver=stranger),
        ):
            assert rejection(act) == (
                Forbidden.code,
                "You do not have permission to resolve payouts",
            )
