"""Faults of transfer orders and their outcomes: decisions §8 and §10.

The sandbox pays at most once, money is released only after a listed decline or by two people, and
the books hold after every step.
"""

from datetime import timedelta
from typing import Any

import pytest
import requests

from tests.environment.services import PROVIDER_SECRET_KEY, Sandbox
from tests.factories.payouts import (
    GIVEN_BACK,
    HELD,
    PAID_OUT,
    READ_ATTEMPTS,
    STATUS_CHECKS,
    TRANSFERS,
    call_sandbox,
    count_transfer_orders,
    open_alerts,
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
    DECLINED_ACCOUNT,
    FAILING_ACCOUNT,
    PAID_ACCOUNT,
    assert_books_hold,
    make_approved_withdrawal,
    status_of,
)
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import sweeps
from wallets.withdrawals.models import Payout, Withdrawal

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


@parametrize_faults(ACCEPTED)
@pytest.mark.one_in(5)
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
    unknown = ["unknown"] if fault == "rate_limit" else []
    assert event_types(withdrawal) == [
        *("created", "approved", "processing"),
        *unknown,
        "completed",
    ]
    assert open_alerts() == set()


@parametrize_faults(NOT_ACCEPTED)
@pytest.mark.one_in(5)
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


def test_a_declined_recipient_fails_at_once_and_releases_the_money(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, AMOUNT, account=DECLINED_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Failed", GIVEN_BACK)
    assert Withdrawal.objects.get(id=withdrawal.id).reason != ""
    assert event_types(withdrawal) == ["created", "approved", "processing", "failed"]
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
    assert event_types(withdrawal) == ["created", "approved", "processing", "completed"]
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
