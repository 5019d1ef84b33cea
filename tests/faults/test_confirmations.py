"""Confirmations of an unresolved payout: the provider's status at that moment decides."""

from typing import Any

import pytest
import requests

from exchange.core.errors import Rejected
from exchange.events.models import Event
from tests.environment.services import PROVIDER_SECRET_KEY, Sandbox
from tests.factories.payouts import (
    GIVEN_BACK,
    HALF_AN_HOUR,
    HELD,
    PAID_OUT,
    READ_ATTEMPTS,
    STATUS_CHECKS,
    TRANSFERS,
    advance_time,
    call_sandbox,
    count_transfer_orders,
    open_alerts,
    propose_action,
    propose_and_confirm,
    sandbox_transfers,
    settle_at_bank,
)
from tests.factories.wallets import (
    FAILING_ACCOUNT,
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    status_of,
)
from wallets.ledger.models import Transfer
from wallets.payouts.errors import StatusCheckUnavailable
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions, settlement
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus

both_actions = pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])


def make_hidden_payout(sandbox: Sandbox, wallet: Wallet, account: str = PAID_ACCOUNT) -> Withdrawal:
    """Make a payout that the provider accepted but twice did not find, half an hour apart."""
    withdrawal = make_approved_withdrawal(wallet, account=account)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=2, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    payouts.check_status(withdrawal.id)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 2
    return withdrawal


def count_status_checks(sandbox: Sandbox, withdrawal: Withdrawal) -> int:
    return sum(
        entry["method"] == "GET" and withdrawal.reference in str(entry)
        for entry in call_sandbox(sandbox, "GET", "requests")
    )


def snapshot(withdrawal: Withdrawal) -> dict[str, Any]:
    """Return everything a confirmation could have changed."""
    return {
        "withdrawal": Withdrawal.objects.filter(id=withdrawal.id).values().get(),
        "payout": Payout.objects.filter(withdrawal_id=withdrawal.id).values().get(),
        "proposals": list(withdrawal.proposals.values()),
        "decisions": list(withdrawal.decisions.values()),
        "events": Event.objects.filter(subject_id=withdrawal.id).count(),
        "transfers": Transfer.objects.filter(subject_id=withdrawal.id).count(),
        "alerts": open_alerts(),
    }


def create_transfer(sandbox: Sandbox, withdrawal: Withdrawal, amount: int) -> None:
    """Create a transfer of another amount at the provider under our reference."""
    requests.post(
        f"{sandbox.base_url}/transfers",
        json={
            "account_bank": "01",
            "account_number": PAID_ACCOUNT,
            "amount": amount,
            "currency": "KES",
            "reference": withdrawal.reference,
        },
        headers={"Authorization": f"Bearer {PROVIDER_SECRET_KEY}"},
        timeout=10,
    ).raise_for_status()


@both_actions
@pytest.mark.parametrize(
    ("account", "status", "balances"),
    [(PAID_ACCOUNT, "Completed", PAID_OUT), (FAILING_ACCOUNT, "Failed", GIVEN_BACK)],
)
@pytest.mark.one_in(3)
def test_the_current_status_at_the_provider_overrides_the_proposal(
    sandbox, wallet, action, account, status, balances
):
    withdrawal = make_hidden_payout(sandbox, wallet, account)
    proposal = propose_action(withdrawal, action)
    settle_at_bank(sandbox, withdrawal)
    with pytest.raises(Rejected) as error:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert error.value.code == "payout_found"
    assert (status_of(withdrawal), wallet.kes) == (status, balances)
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (1, 1)
    proposal.refresh_from_db()
    assert (proposal.status, proposal.decided_by) == ("Pending", None)
    assert [d.verdict for d in withdrawal.decisions.all()][-1] == "Propose"
    assert_books_hold()


@both_actions
@pytest.mark.one_in(2)
def test_a_transfer_in_transit_is_neither_failed_nor_sent_again(sandbox, wallet, action):
    withdrawal = make_hidden_payout(sandbox, wallet)
    proposal = propose_action(withdrawal, action)
    with pytest.raises(Rejected) as error:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert error.value.code == "payout_found"
    # The sandbox may have completed the transfer by now.
    assert status_of(withdrawal) in {"Unknown", "Completed"}
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 0
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert (count_transfer_orders(sandbox, withdrawal), open_alerts()) == (1, set())


@both_actions
@pytest.mark.parametrize("fault", ["error_5xx", "timeout_before", "malformed", "unauthorized"])
@pytest.mark.one_in(4)
def test_a_confirmation_needs_a_reachable_provider(sandbox, wallet, action, fault):
    withdrawal = make_hidden_payout(sandbox, wallet)
    proposal = propose_action(withdrawal, action)
    sandbox.fault(fault, times=READ_ATTEMPTS, match=STATUS_CHECKS)
    before = snapshot(withdrawal)
    with pytest.raises(StatusCheckUnavailable) as error:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert error.value.code == "provider_unavailable"
    assert snapshot(withdrawal) == before
    assert wallet.kes == HELD


@pytest.mark.slow
def test_a_deleted_mismatching_record_counts_as_not_found(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("timeout_before", match=TRANSFERS)
    payouts.send_payout(withdrawal.id)
    create_transfer(sandbox, withdrawal, 7)
    payouts.check_status(withdrawal.id)
    assert open_alerts() == {"payout_unknown", "payout_differs"}
    assert ProposalAction.FAIL not in resolutions.possible_actions(
        Withdrawal.objects.get(id=withdrawal.id)
    )
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.check_status(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR + 1)
    payouts.check_status(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.FAIL)
    assert (status_of(withdrawal), wallet.kes, open_alerts()) == ("Failed", GIVEN_BACK, set())
    assert_books_hold()


def test_a_rejected_confirmation_checks_no_status(sandbox, wallet):
    withdrawal = make_hidden_payout(sandbox, wallet)
    proposal = propose_action(withdrawal, ProposalAction.FAIL)
    before, checks = snapshot(withdrawal), count_status_checks(sandbox, withdrawal)
    with pytest.raises(Rejected) as error:
        resolutions.confirm(proposal_id=proposal.id, resolver=proposal.proposed_by)
    assert error.value.code == "approver_not_independent"
    assert (snapshot(withdrawal), count_status_checks(sandbox, withdrawal)) == (before, checks)


# --- A status check that ends after the withdrawal has changed -----------------------------------


def test_a_late_failed_status_check_schedules_no_step_for_a_closed_payout(sandbox, wallet):
    sandbox.fault("no_webhook", times=10)  # a webhook would expedite the next status check
    withdrawal = make_approved_withdrawal(wallet, account=FAILING_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == "Failed"
    before = snapshot(withdrawal)
    assert before["payout"]["next_step_at"] is None
    settlement.record_inconclusive_check(
        withdrawal.id, expected_status=WithdrawalStatus.PROCESSING, error="too late"
    )
    assert snapshot(withdrawal) == before


def test_a_late_status_check_schedules_no_step_for_a_reversed_payout(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, account=PAID_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    call_sandbox(sandbox, "POST", "return", reference=withdrawal.reference)
    payouts.check_status(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.REVERSE)
    before = snapshot(withdrawal)
    assert (status_of(withdrawal), before["payout"]["next_step_at"]) == ("Reversed", None)
    settlement.continue_monitoring(withdrawal.id, expected_status=WithdrawalStatus.COMPLETED)
    assert snapshot(withdrawal) == before


def test_a_failed_status_check_schedules_the_next_step(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(next_step_at=None)
    sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    payouts.check_status(withdrawal.id)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.next_step_at is not None
    assert payout.last_error != ""
