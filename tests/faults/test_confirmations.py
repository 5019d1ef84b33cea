"""Two people end a lost payout only as the provider sees it at that moment."""

from __future__ import annotations

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


def hidden_twice(sandbox: Sandbox, wallet: Wallet, account: str = PAID_ACCOUNT) -> Withdrawal:
    """Taken by the provider, which did not know it twice, half an hour apart."""
    withdrawal = make_approved_withdrawal(wallet, account=account)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=2, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    payouts.check_status(withdrawal.id)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 2
    return withdrawal


def look_ups(sandbox: Sandbox, withdrawal: Withdrawal) -> int:
    return sum(
        entry["method"] == "GET" and withdrawal.reference in str(entry)
        for entry in call_sandbox(sandbox, "GET", "requests")
    )


def traces(withdrawal: Withdrawal) -> dict[str, Any]:
    """Everything a confirmation could have changed."""
    return {
        "withdrawal": Withdrawal.objects.filter(id=withdrawal.id).values().get(),
        "payout": Payout.objects.filter(withdrawal_id=withdrawal.id).values().get(),
        "proposals": list(withdrawal.proposals.values()),
        "decisions": list(withdrawal.decisions.values()),
        "events": Event.objects.filter(subject_id=withdrawal.id).count(),
        "transfers": Transfer.objects.filter(subject_id=withdrawal.id).count(),
        "alerts": open_alerts(),
    }


def book_by_hand(sandbox: Sandbox, withdrawal: Withdrawal, amount: int) -> None:
    """A transfer of another amount that the provider has under our reference."""
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
def test_what_the_provider_knows_by_now_is_applied_and_not_what_was_proposed(
    sandbox, wallet, action, account, status, balances
):
    withdrawal = hidden_twice(sandbox, wallet, account)
    proposal = propose_action(withdrawal, action)
    settle_at_bank(sandbox, withdrawal)
    with pytest.raises(Rejected) as refusal:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert refusal.value.code == "payout_found"
    assert (status_of(withdrawal), wallet.kes) == (status, balances)
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (1, 1)
    proposal.refresh_from_db()
    assert (proposal.status, proposal.decided_by) == ("Open", None)
    assert [d.verdict for d in withdrawal.decisions.all()][-1] == "Propose"
    assert_books_hold()


@both_actions
def test_a_transfer_that_is_under_way_after_all_is_neither_failed_nor_sent_again(
    sandbox, wallet, action
):
    withdrawal = hidden_twice(sandbox, wallet)
    proposal = propose_action(withdrawal, action)
    with pytest.raises(Rejected) as refusal:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert refusal.value.code == "payout_found"
    # The sandbox may have come to the outcome meanwhile.
    assert status_of(withdrawal) in {"Unknown", "Completed"}
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 0
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert (count_transfer_orders(sandbox, withdrawal), open_alerts()) == (1, set())


@both_actions
@pytest.mark.parametrize("fault", ["error_5xx", "timeout_before", "malformed", "unauthorized"])
def test_a_provider_that_cannot_be_asked_lets_nobody_confirm(sandbox, wallet, action, fault):
    withdrawal = hidden_twice(sandbox, wallet)
    proposal = propose_action(withdrawal, action)
    sandbox.fault(fault, times=READ_ATTEMPTS, match=STATUS_CHECKS)
    before = traces(withdrawal)
    with pytest.raises(StatusCheckUnavailable) as refusal:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert refusal.value.code == "provider_unavailable"
    assert traces(withdrawal) == before
    assert wallet.kes == HELD


def test_a_record_that_differed_and_was_undone_counts_as_lost(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("timeout_before", match=TRANSFERS)
    payouts.send_payout(withdrawal.id)
    book_by_hand(sandbox, withdrawal, 7)
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


def test_who_may_not_confirm_does_not_make_us_ask(sandbox, wallet):
    withdrawal = hidden_twice(sandbox, wallet)
    proposal = propose_action(withdrawal, ProposalAction.FAIL)
    before, asked = traces(withdrawal), look_ups(sandbox, withdrawal)
    with pytest.raises(Rejected) as refusal:
        resolutions.confirm(proposal_id=proposal.id, resolver=proposal.proposed_by)
    assert refusal.value.code == "approver_not_independent"
    assert (traces(withdrawal), look_ups(sandbox, withdrawal)) == (before, asked)


# --- A look-up that comes back after the withdrawal moved on -------------------------------------


def test_an_old_look_up_that_failed_sets_no_step_on_a_payout_that_was_closed(sandbox, wallet):
    sandbox.fault("no_webhook", times=10)  # a webhook would rightly bring the next look forward
    withdrawal = make_approved_withdrawal(wallet, account=FAILING_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == "Failed"
    before = traces(withdrawal)
    assert before["payout"]["next_step_at"] is None
    settlement.record_inconclusive_check(
        withdrawal.id, expected_status=WithdrawalStatus.PROCESSING, error="too late"
    )
    assert traces(withdrawal) == before


def test_an_old_look_up_of_a_completed_payout_sets_no_step_once_it_is_reversed(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, account=PAID_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    call_sandbox(sandbox, "POST", "return", reference=withdrawal.reference)
    payouts.check_status(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.REVERSE)
    before = traces(withdrawal)
    assert (status_of(withdrawal), before["payout"]["next_step_at"]) == ("Reversed", None)
    settlement.continue_monitoring(withdrawal.id, expected_status=WithdrawalStatus.COMPLETED)
    assert traces(withdrawal) == before


def test_a_look_up_that_failed_in_time_sets_the_next_step(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(next_step_at=None)
    sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    payouts.check_status(withdrawal.id)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.next_step_at is not None
    assert payout.last_error != ""
