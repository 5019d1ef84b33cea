"""Faults of transfer orders and their outcomes: decisions §8 and §10.

The sandbox pays at most once, money is released only after a listed decline or by two people, and
the books hold after every step.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
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
    DECLINED_ACCOUNT,
    FAILING_ACCOUNT,
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    status_of,
)
from wallets.payouts.models import PayoutCircuit, ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions, sweeps
from wallets.withdrawals.models import Payout, Withdrawal

AMOUNT, FEE = Decimal(500), Decimal(30)

# Faults after which the order was not accepted: the status check finds nothing.
NOT_ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("timeout_before", {}),
    ("error_5xx", {}),
    ("error_5xx", {"status": 500}),
    ("error_5xx", {"status": 504}),
    ("malformed", {"effect": False}),
    ("malformed", {"effect": False, "body": '{"status": "success", "data": {}}'}),
    ("reset", {}),
    ("rate_limit", {}),
    ("unauthorized", {}),
    ("slow_drip", {"effect": False, "interval": 0.1}),
    ("error_5xx", {"status": 400, "body": '{"status":"error","message":"Hm","data":null}'}),
]
# Faults that hide an accepted order: the status check finds it.
ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("timeout_after", {}),
    ("error_5xx", {"effect": True}),
    ("malformed", {}),
    ("oversized", {"size": 3 * 1024 * 1024}),
    ("reset", {"effect": True}),
    ("rate_limit", {"effect": True}),
    ("unauthorized", {"effect": True}),
    ("slow_drip", {"interval": 0.1}),
    ("wrong_reference", {}),
]


def parametrize_faults(cases: list[tuple[str, dict[str, Any]]]) -> Any:
    return pytest.mark.parametrize(
        ("fault", "options"),
        cases,
        ids=[f"{kind}-{number}" for number, (kind, _) in enumerate(cases)],
    )


def send_with_fault(
    sandbox: Sandbox,
    wallet: Wallet,
    fault: str,
    options: dict[str, Any],
    account: str = PAID_ACCOUNT,
) -> Withdrawal:
    withdrawal = make_approved_withdrawal(wallet, AMOUNT, account=account)
    sandbox.fault(fault, match=TRANSFERS, **options)
    payouts.send_payout(withdrawal.id)
    assert_books_hold()
    return withdrawal


def sweep_later(withdrawal: Withdrawal) -> None:
    advance_time(withdrawal, 3600)
    sweeps.process_payout(withdrawal.id)
    assert_books_hold()


def events(withdrawal: Withdrawal) -> list[str]:
    rows = Event.objects.filter(subject_id=withdrawal.id).order_by("id")
    return [kind.removeprefix("withdrawal.") for kind in rows.values_list("type", flat=True)]


@parametrize_faults(ACCEPTED)
def test_an_accepted_order_is_found_and_completed_once(sandbox, wallet, fault, options):
    withdrawal = send_with_fault(sandbox, wallet, fault, options)
    if fault == "rate_limit":
        # The provider requested a pause: the status is checked after it.
        assert status_of(withdrawal) == "Unknown"
    else:
        # The transfer may have completed before the response.
        assert status_of(withdrawal) in {"Processing", "Completed"}
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert status_of(withdrawal) == "Completed"
    assert wallet.kes == PAID_OUT
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (1, 1)
    assert events(withdrawal) == ["created", "approved", "processing", "completed"]
    assert open_alerts() == set()


@parametrize_faults(NOT_ACCEPTED)
def test_an_order_that_is_not_found_is_unknown_and_holds_the_money(sandbox, wallet, fault, options):
    withdrawal = send_with_fault(sandbox, wallet, fault, options)
    assert status_of(withdrawal) == "Unknown"
    assert wallet.kes == HELD
    assert open_alerts() == {"payout_unknown"}
    payouts.send_payout(withdrawal.id)
    for _ in range(3):
        sweeps.process_payout(withdrawal.id)
    assert status_of(withdrawal) == "Unknown"
    assert (count_transfer_orders(sandbox, withdrawal), sandbox_transfers(sandbox, withdrawal)) == (
        1,
        [],
    )
    assert_books_hold()


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
    assert events(withdrawal) == ["created", "approved", "processing", "completed"]
    assert open_alerts() == set()


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
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


def test_a_missing_payout_that_two_people_fail_releases_the_money(sandbox, wallet):
    withdrawal = make_missing_payout(sandbox, wallet)
    propose_and_confirm(withdrawal, ProposalAction.FAIL)
    assert status_of(withdrawal) == "Failed"
    assert wallet.kes == GIVEN_BACK
    assert sandbox_transfers(sandbox, withdrawal) == []
    assert events(withdrawal)[-1] == "failed"


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
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


def alter_next_status(sandbox: Sandbox, withdrawal: Withdrawal, text: str, other: str) -> None:
    """Replace `text` by `other` in the provider's next response about the transfer."""
    settle_at_bank(sandbox, withdrawal)
    response = requests.get(
        f"{sandbox.base_url}/transfers",
        params={"reference": withdrawal.reference},
        headers={"Authorization": f"Bearer {PROVIDER_SECRET_KEY}"},
        timeout=10,
    ).text
    assert response.count(text) == 1
    body = response.replace(text, other)
    sandbox.fault("error_5xx", match=STATUS_CHECKS, status=200, body=body)


@pytest.mark.parametrize("outcome", ["NEW", "PENDING", "SUCCESSFUL"])
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


def test_a_declined_recipient_fails_at_once_and_releases_the_money(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT, account=DECLINED_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Failed", GIVEN_BACK)
    assert Withdrawal.objects.get(id=withdrawal.id).reason != ""
    assert events(withdrawal) == ["created", "approved", "processing", "failed"]
    sweeps.process_payout(withdrawal.id)
    assert (count_transfer_orders(sandbox, withdrawal), sandbox_transfers(sandbox, withdrawal)) == (
        1,
        [],
    )
    assert_books_hold()


def test_a_transfer_that_fails_later_releases_the_money(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT, account=FAILING_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Failed", GIVEN_BACK)
    assert "DISBURSE FAILED" in Withdrawal.objects.get(id=withdrawal.id).reason
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1


def test_a_response_with_another_amount_decides_nothing(sandbox, wallet):
    withdrawal = send_with_fault(sandbox, wallet, "wrong_amount", {})
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert open_alerts() == {"payout_differs"}
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert open_alerts() == set()


def test_a_long_mismatch_is_truncated(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    payouts.send_payout(withdrawal.id)
    number = "9" * 400
    alter_next_status(sandbox, withdrawal, PAID_ACCOUNT, number)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    stored = Payout.objects.get(withdrawal_id=withdrawal.id).last_error
    assert stored == f"provider record mismatch: account {number}"[:300]


def create_transfer(sandbox: Sandbox, withdrawal: Withdrawal, amount: int) -> None:
    """Create a transfer at the provider under our reference before we do."""
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


def test_the_status_of_a_used_reference_is_checked(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    create_transfer(sandbox, withdrawal, 470)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1


def test_a_reference_of_another_transfer_is_flagged(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    create_transfer(sandbox, withdrawal, 7)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    for _ in range(2):
        sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert open_alerts() == {"payout_differs"}


def retry_delay(withdrawal: Withdrawal) -> timedelta:
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.next_step_at is not None
    return payout.next_step_at - payout.updated_at


def test_insufficient_float_delays_the_payout_and_raises_an_alert(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    call_sandbox(sandbox, "POST", "float", currency="KES", amount=100)
    try:
        payouts.send_payout(withdrawal.id)
        assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)
        assert open_alerts() == {"float"}
        assert retry_delay(withdrawal) == timedelta(minutes=5)
        payouts.send_payout(withdrawal.id)  # not due yet
        assert count_transfer_orders(sandbox, withdrawal) == 1
        sweep_later(withdrawal)
        assert (status_of(withdrawal), count_transfer_orders(sandbox, withdrawal)) == (
            "Approved",
            2,
        )
    finally:
        call_sandbox(sandbox, "POST", "float", currency="KES", amount=10**9)
    sweep_later(withdrawal)
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1
    assert events(withdrawal) == ["created", "approved", "processing", "completed"]
    assert open_alerts() == set()


def test_an_unreachable_provider_gets_the_order_later(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    sandbox.kill()
    try:
        payouts.send_payout(withdrawal.id)
        assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)
        assert retry_delay(withdrawal) == timedelta(minutes=1)
        assert PayoutCircuit.objects.get().failures == 1
        assert_books_hold()
    finally:
        sandbox.start()
    sweep_later(withdrawal)
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1


def test_a_payout_without_response_and_status_is_unknown(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 0
    settle_at_bank(sandbox, withdrawal)
    sweep_later(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1
