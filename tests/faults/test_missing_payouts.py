"""Payouts that the provider does not find: two people send them again or fail them.

Decisions §8 and §10: the money is released only after two status checks half an hour apart, and the
sandbox pays at most once.
"""

import pytest

from exchange.core.errors import Rejected
from tests.environment.services import Sandbox
from tests.factories.payouts import (
    GIVEN_BACK,
    HALF_AN_HOUR,
    HELD,
    PAID_OUT,
    STATUS_CHECKS,
    TRANSFERS,
    advance_time,
    count_transfer_orders,
    open_alerts,
    propose_action,
    propose_and_confirm,
    sandbox_transfers,
    settle_at_bank,
)
from tests.factories.transfer_faults import (
    AMOUNT,
    alter_next_status,
    event_types,
    send_with_fault,
    sweep_later,
)
from tests.factories.wallets import (
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    status_of,
)
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions, sweeps
from wallets.withdrawals.models import Payout, Withdrawal


def make_missing_payout(
    sandbox: Sandbox, wallet: Wallet, account: str = PAID_ACCOUNT
) -> Withdrawal:
    """Make a payout that is not found at once, nor half an hour later."""
    withdrawal = send_with_fault(sandbox, wallet, "timeout_before", {}, account)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    assert status_of(withdrawal) == "Unknown"
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 2
    return withdrawal


def test_a_missing_payout_that_two_people_send_again_is_paid_once(sandbox, wallet):
    withdrawal = make_missing_payout(sandbox, wallet)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    assert status_of(withdrawal) == "Approved"
    sweeps.process_payout(withdrawal.id)
    assert status_of(withdrawal) == "Processing"
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert status_of(withdrawal) == "Completed"
    assert wallet.kes == PAID_OUT
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (2, 1)
    assert event_types(withdrawal) == [
        *("created", "approved", "processing", "unknown"),
        "completed",
    ]
    assert open_alerts() == set()


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
@pytest.mark.one_in(2)
def test_a_second_order_is_missing_only_after_two_more_status_checks(sandbox, wallet, action):
    """Status checks of the first order do not count for the second one."""
    withdrawal = make_missing_payout(sandbox, wallet)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert (payout.not_found_count, payout.first_not_found_at, payout.last_not_found_at) == (
        0,
        None,
        None,
    )
    sandbox.fault("timeout_before", match=TRANSFERS)
    sweeps.process_payout(withdrawal.id)
    assert (status_of(withdrawal), count_transfer_orders(sandbox, withdrawal)) == ("Unknown", 2)
    with pytest.raises(Rejected) as error:
        propose_action(withdrawal, action)
    assert error.value.code == "payout_not_lost"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, action)


@pytest.mark.slow
def test_a_missing_payout_that_two_people_fail_releases_the_money(sandbox, wallet):
    withdrawal = make_missing_payout(sandbox, wallet)
    propose_and_confirm(withdrawal, ProposalAction.FAIL)
    assert status_of(withdrawal) == "Failed"
    assert wallet.kes == GIVEN_BACK
    assert sandbox_transfers(sandbox, withdrawal) == []
    assert event_types(withdrawal)[-1] == "failed"


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
@pytest.mark.one_in(2)
def test_two_status_checks_within_half_an_hour_count_once(sandbox, wallet, action):
    withdrawal = send_with_fault(sandbox, wallet, "timeout_before", {})
    advance_time(withdrawal, HALF_AN_HOUR - 60)
    sweeps.process_payout(withdrawal.id)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 1
    with pytest.raises(Rejected) as error:
        propose_action(withdrawal, action)
    assert error.value.code == "payout_not_lost"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
@pytest.mark.one_in(2)
def test_a_resolution_needs_two_people(sandbox, wallet, action):
    withdrawal = make_missing_payout(sandbox, wallet)
    proposer = make_staff()
    proposal = resolutions.propose(
        withdrawal_id=withdrawal.id, action=action, reason="sure", proposer=proposer
    )
    with pytest.raises(Rejected) as error:
        resolutions.confirm(proposal_id=proposal.id, resolver=proposer)
    assert error.value.code == "approver_not_independent"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)


@pytest.mark.slow
def test_a_payout_that_is_found_later_is_no_longer_missing(sandbox, wallet):
    """A payout hidden twice and then found with another amount must not release the money."""
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=2, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    proposal = propose_action(withdrawal, ProposalAction.FAIL)
    sandbox.fault("wrong_amount", match=STATUS_CHECKS)
    sweep_later(withdrawal)
    assert status_of(withdrawal) == "Unknown"
    with pytest.raises(Rejected) as error:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert error.value.code == "payout_not_lost"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert open_alerts() == set()


@pytest.mark.slow
def test_an_accepted_order_that_is_sent_again_pays_once(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    sweeps.process_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (2, 1)


@pytest.mark.slow
def test_a_declined_second_order_does_not_release_what_the_first_one_paid(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    response = '{"status":"error","message":"%s","data":null}'
    sandbox.fault(
        "error_5xx",
        match=TRANSFERS,
        status=400,
        body=response % "Payout was made to a blacklisted account number",
    )
    settle_at_bank(sandbox, withdrawal)
    sweeps.process_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert_books_hold()


@pytest.mark.parametrize("outcome", ["NEW", "PENDING", "SUCCESSFUL"])
@pytest.mark.one_in(3)
def test_a_failed_payout_that_the_provider_has_raises_an_alert(sandbox, wallet, outcome):
    """This holds whether or not it is paid yet, since the money was released here."""
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    sandbox.fault("timeout_after", match=TRANSFERS)
    # The status checks of the worker, of the sweep and of the confirmation.
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.FAIL)
    alter_next_status(sandbox, withdrawal, "SUCCESSFUL", outcome)
    advance_time(withdrawal, 13 * 3600)
    sweeps.process_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Failed", GIVEN_BACK)
    assert open_alerts() == {"paid_after_failure"}
    assert_books_hold()
