"""What goes wrong while a transfer is ordered, and where each leads: decisions §8 and §10.

Paid at most once at the sandbox, money back only after a listed refusal or by two people, and the
books hold after every step.
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

ASK, FEE = Decimal(500), Decimal(30)

# Faults after which the order was not taken: the look-up finds nothing.
NOT_TAKEN: list[tuple[str, dict[str, Any]]] = [
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
# Faults that hide an order that was taken: the look-up finds it.
TAKEN: list[tuple[str, dict[str, Any]]] = [
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


def named(cases: list[tuple[str, dict[str, Any]]]) -> Any:
    return pytest.mark.parametrize(
        ("fault", "options"),
        cases,
        ids=[f"{kind}-{number}" for number, (kind, _) in enumerate(cases)],
    )


def pay_with(
    sandbox: Sandbox,
    wallet: Wallet,
    fault: str,
    options: dict[str, Any],
    account: str = PAID_ACCOUNT,
) -> Withdrawal:
    withdrawal = make_approved_withdrawal(wallet, ASK, account=account)
    sandbox.fault(fault, match=TRANSFERS, **options)
    payouts.send_payout(withdrawal.id)
    assert_books_hold()
    return withdrawal


def look_again(withdrawal: Withdrawal) -> None:
    advance_time(withdrawal, 3600)
    sweeps.process_payout(withdrawal.id)
    assert_books_hold()


def events(withdrawal: Withdrawal) -> list[str]:
    rows = Event.objects.filter(subject_id=withdrawal.id).order_by("id")
    return [kind.removeprefix("withdrawal.") for kind in rows.values_list("type", flat=True)]


@named(TAKEN)
def test_an_order_that_was_taken_is_found_and_completed_once(sandbox, wallet, fault, options):
    withdrawal = pay_with(sandbox, wallet, fault, options)
    if fault == "rate_limit":
        # The provider asked to be left alone for a while: it is looked up after that.
        assert status_of(withdrawal) == "Unknown"
    else:
        # The transfer may have ended while the answer was waited for.
        assert status_of(withdrawal) in {"Processing", "Completed"}
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert status_of(withdrawal) == "Completed"
    assert wallet.kes == PAID_OUT
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (1, 1)
    assert events(withdrawal) == ["created", "approved", "processing", "completed"]
    assert open_alerts() == set()


@named(NOT_TAKEN)
def test_an_order_that_nobody_knows_is_unknown_and_keeps_the_money(sandbox, wallet, fault, options):
    withdrawal = pay_with(sandbox, wallet, fault, options)
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


def lose_for_good(sandbox: Sandbox, wallet: Wallet, account: str = PAID_ACCOUNT) -> Withdrawal:
    """Not found at once, and not found half an hour later."""
    withdrawal = pay_with(sandbox, wallet, "timeout_before", {}, account)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    assert status_of(withdrawal) == "Unknown"
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 2
    return withdrawal


def test_two_people_send_a_lost_payout_again_and_it_is_paid_once(sandbox, wallet):
    withdrawal = lose_for_good(sandbox, wallet)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    assert status_of(withdrawal) == "Approved"
    sweeps.process_payout(withdrawal.id)
    assert status_of(withdrawal) == "Processing"
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert status_of(withdrawal) == "Completed"
    assert wallet.kes == PAID_OUT
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (2, 1)
    assert events(withdrawal) == ["created", "approved", "processing", "completed"]
    assert open_alerts() == set()


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
def test_a_payout_sent_again_is_lost_only_when_it_is_not_found_twice_anew(sandbox, wallet, action):
    """What was not found before it was sent again says nothing about the second order."""
    withdrawal = lose_for_good(sandbox, wallet)
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
    with pytest.raises(Rejected) as refusal:
        propose_action(withdrawal, action)
    assert refusal.value.code == "payout_not_lost"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, action)


def test_two_people_fail_a_lost_payout_and_the_money_is_back(sandbox, wallet):
    withdrawal = lose_for_good(sandbox, wallet)
    propose_and_confirm(withdrawal, ProposalAction.FAIL)
    assert status_of(withdrawal) == "Failed"
    assert wallet.kes == GIVEN_BACK
    assert sandbox_transfers(sandbox, withdrawal) == []
    assert events(withdrawal)[-1] == "failed"


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
def test_not_found_twice_within_half_an_hour_is_not_lost(sandbox, wallet, action):
    withdrawal = pay_with(sandbox, wallet, "timeout_before", {})
    advance_time(withdrawal, HALF_AN_HOUR - 60)
    sweeps.process_payout(withdrawal.id)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 1
    with pytest.raises(Rejected) as refusal:
        propose_action(withdrawal, action)
    assert refusal.value.code == "payout_not_lost"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)


@pytest.mark.parametrize("action", [ProposalAction.SEND_AGAIN, ProposalAction.FAIL])
def test_one_person_alone_decides_nothing(sandbox, wallet, action):
    withdrawal = lose_for_good(sandbox, wallet)
    person = make_staff()
    proposal = resolutions.propose(
        withdrawal_id=withdrawal.id, action=action, reason="sure", proposer=person
    )
    with pytest.raises(Rejected) as refusal:
        resolutions.confirm(proposal_id=proposal.id, resolver=person)
    assert refusal.value.code == "approver_not_independent"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)


def test_a_payout_that_turns_up_after_all_is_no_longer_lost(sandbox, wallet):
    """Hidden twice, then shown with another amount: people must not release the money now."""
    withdrawal = make_approved_withdrawal(wallet, ASK)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=2, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    proposal = propose_action(withdrawal, ProposalAction.FAIL)
    sandbox.fault("wrong_amount", match=STATUS_CHECKS)
    look_again(withdrawal)
    assert status_of(withdrawal) == "Unknown"
    with pytest.raises(Rejected) as refusal:
        resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert refusal.value.code == "payout_not_lost"
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert open_alerts() == set()


def test_sending_again_what_had_been_taken_pays_once(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    sweeps.process_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (2, 1)


def test_a_refusal_of_the_second_order_does_not_release_what_the_first_one_paid(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    refusal = '{"status":"error","message":"%s","data":null}'
    sandbox.fault(
        "error_5xx",
        match=TRANSFERS,
        status=400,
        body=refusal % "Payout was made to a blacklisted account number",
    )
    settle_at_bank(sandbox, withdrawal)
    sweeps.process_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert_books_hold()


def show_as(sandbox: Sandbox, withdrawal: Withdrawal, text: str, other: str) -> None:
    """The provider's next answer about the transfer says `other` in the place of `text`."""
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
def test_a_payout_that_people_failed_and_the_provider_has_is_told(sandbox, wallet, outcome):
    """Whether it has paid yet or not: the money was given back here."""
    withdrawal = make_approved_withdrawal(wallet, ASK)
    sandbox.fault("timeout_after", match=TRANSFERS)
    # The worker's own look, the sweep's, and the one before the second person's word counts.
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.FAIL)
    show_as(sandbox, withdrawal, "SUCCESSFUL", outcome)
    advance_time(withdrawal, 13 * 3600)
    sweeps.process_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Failed", GIVEN_BACK)
    assert open_alerts() == {"paid_after_failure"}
    assert_books_hold()


def test_a_refused_recipient_fails_at_once_and_gets_the_money_back(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK, account=DECLINED_ACCOUNT)
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


def test_a_transfer_that_fails_later_gives_the_money_back(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK, account=FAILING_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Failed", GIVEN_BACK)
    assert "DISBURSE FAILED" in Withdrawal.objects.get(id=withdrawal.id).reason
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1


def test_an_answer_with_another_amount_decides_nothing(sandbox, wallet):
    withdrawal = pay_with(sandbox, wallet, "wrong_amount", {})
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert open_alerts() == {"payout_differs"}
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert open_alerts() == set()


def test_a_difference_too_long_to_be_kept_is_kept_by_its_beginning(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    payouts.send_payout(withdrawal.id)
    number = "9" * 400
    show_as(sandbox, withdrawal, PAID_ACCOUNT, number)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    kept = Payout.objects.get(withdrawal_id=withdrawal.id).last_error
    assert kept == f"provider record mismatch: account {number}"[:300]


def order_by_hand(sandbox: Sandbox, withdrawal: Withdrawal, amount: int) -> None:
    """Somebody ordered under our reference before us."""
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


def test_a_reference_that_is_taken_is_looked_up(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    order_by_hand(sandbox, withdrawal, 470)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1


def test_a_reference_that_is_taken_by_another_transfer_is_flagged(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    order_by_hand(sandbox, withdrawal, 7)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    for _ in range(2):
        look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert open_alerts() == {"payout_differs"}


def waits(withdrawal: Withdrawal) -> timedelta:
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.next_step_at is not None
    return payout.next_step_at - payout.updated_at


def test_too_little_float_puts_it_back_with_an_alert_and_it_is_paid_later(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    call_sandbox(sandbox, "POST", "float", currency="KES", amount=100)
    try:
        payouts.send_payout(withdrawal.id)
        assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)
        assert open_alerts() == {"float"}
        assert waits(withdrawal) == timedelta(minutes=5)
        payouts.send_payout(withdrawal.id)  # not yet: it waits
        assert count_transfer_orders(sandbox, withdrawal) == 1
        look_again(withdrawal)
        assert (status_of(withdrawal), count_transfer_orders(sandbox, withdrawal)) == (
            "Approved",
            2,
        )
    finally:
        call_sandbox(sandbox, "POST", "float", currency="KES", amount=10**9)
    look_again(withdrawal)
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1
    assert events(withdrawal) == ["created", "approved", "processing", "completed"]
    assert open_alerts() == set()


def test_a_provider_that_is_not_there_gets_the_order_later(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    sandbox.kill()
    try:
        payouts.send_payout(withdrawal.id)
        assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)
        assert waits(withdrawal) == timedelta(minutes=1)
        assert PayoutCircuit.objects.get().failures == 1
        assert_books_hold()
    finally:
        sandbox.start()
    look_again(withdrawal)
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1


def test_a_lost_answer_and_a_provider_that_stays_silent_is_unknown(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, ASK)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).not_found_count == 0
    settle_at_bank(sandbox, withdrawal)
    look_again(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1
