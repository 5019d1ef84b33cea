"""Faults of reads from the provider: transfer status, bank list and account name."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from tests.environment.services import Sandbox
from tests.factories.payouts import (
    HALF_AN_HOUR,
    HELD,
    PAID_OUT,
    READ_ATTEMPTS,
    STATUS_CHECKS,
    TRANSFERS,
    advance_time,
    count_transfer_orders,
    open_alerts,
    propose_action,
    propose_and_confirm,
    return_at_bank,
    sandbox_transfers,
    settle_at_bank,
)
from tests.factories.wallets import (
    RETURNED_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    make_wallet,
    status_of,
)
from wallets.banks.errors import BankListUnavailable
from wallets.banks.models import BankList
from wallets.banks.services import clear_bank_cache
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions, sweeps
from wallets.withdrawals.models import Payout, Withdrawal

FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("timeout_before", {}),
    ("timeout_after", {}),
    ("error_5xx", {}),
    ("malformed", {}),
    ("oversized", {"size": 3 * 1024 * 1024}),
    ("slow_drip", {"interval": 0.1}),
    ("reset", {}),
    ("rate_limit", {"retry_after": None}),
    ("unauthorized", {}),
]
every_fault = pytest.mark.parametrize(
    ("fault", "options"), FAULTS, ids=[name for name, _ in FAULTS]
)


def sweep_after(withdrawal: Withdrawal, seconds: float = 3600) -> None:
    advance_time(withdrawal, seconds)
    sweeps.process_payout(withdrawal.id)
    assert_books_hold()


# --- Processing and Unknown payouts --------------------------------------------------------------


@every_fault
@pytest.mark.one_in(5)
def test_a_failed_status_check_changes_nothing_and_the_next_one_completes(
    sandbox, wallet, fault, options
):
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    sandbox.fault(fault, times=READ_ATTEMPTS, match=STATUS_CHECKS, **options)
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Processing", HELD)
    sandbox.reset()
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert len(sandbox_transfers(sandbox, withdrawal)) == 1


@every_fault
@pytest.mark.one_in(5)
def test_a_failed_status_check_does_not_count_as_not_found(sandbox, wallet, fault, options):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("error_5xx", match=TRANSFERS)
    sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    sandbox.fault(fault, times=READ_ATTEMPTS, match=STATUS_CHECKS, **options)
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert (payout.not_found_count, payout.first_not_found_at) == (0, None)
    assert payout.next_step_at is not None
    assert count_transfer_orders(sandbox, withdrawal) == 1


def test_a_temporarily_hidden_transfer_is_completed(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    sandbox.fault("hidden", match=STATUS_CHECKS)
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    settle_at_bank(sandbox, withdrawal)
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (1, 1)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    # The response to the order counts as a status check.
    assert (payout.not_found_count, payout.status_checks) == (0, 3)
    assert open_alerts() == set()


def test_a_status_check_with_another_amount_completes_nothing(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    sandbox.fault("wrong_amount", match=STATUS_CHECKS)
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    assert open_alerts() == {"payout_differs"}
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)


@pytest.mark.slow
def test_a_declined_second_order_needs_a_successful_status_check(sandbox, wallet):
    """The first order may have been paid, so that no money is released without a status."""
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    sweep_after(withdrawal, HALF_AN_HOUR)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    reason = "Payout was made to a blacklisted account number"
    body = f'{{"status":"error","message":"{reason}","data":null}}'
    sandbox.fault("error_5xx", match=TRANSFERS, status=400, body=body)
    sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    sweep_after(withdrawal, 0)
    assert (status_of(withdrawal), wallet.kes) == ("Unknown", HELD)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.last_error == f"{reason}; the provider failed (503)"
    assert (payout.leased_until, payout.not_found_count) == (None, 0)
    assert open_alerts() == {"payout_unknown"}
    settle_at_bank(sandbox, withdrawal)
    sweep_after(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert (
        count_transfer_orders(sandbox, withdrawal),
        len(sandbox_transfers(sandbox, withdrawal)),
    ) == (2, 1)


# --- Monitoring of completed payouts -------------------------------------------------------------


def make_completed_payout(sandbox: Sandbox, wallet: Wallet, **more: Any) -> Withdrawal:
    withdrawal = make_approved_withdrawal(wallet, **more)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == "Completed"
    return withdrawal


@every_fault
@pytest.mark.one_in(5)
def test_a_failed_status_check_does_not_change_a_monitored_payout(sandbox, wallet, fault, options):
    withdrawal = make_completed_payout(sandbox, wallet)
    sandbox.fault(fault, times=READ_ATTEMPTS, match=STATUS_CHECKS, **options)
    sweep_after(withdrawal, 13 * 3600)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at is not None
    assert open_alerts() == set()


def test_a_completed_payout_that_vanishes_raises_an_alert_and_stays_completed(sandbox, wallet):
    withdrawal = make_completed_payout(sandbox, wallet)
    sandbox.fault("hidden", times=2, match=STATUS_CHECKS)
    sweep_after(withdrawal, 13 * 3600)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert open_alerts() == {"payout_vanished"}
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.status_checks == 3
    assert payout.next_step_at is not None
    assert payout.next_step_at - timezone.now() > timedelta(hours=11)
    sweep_after(withdrawal, 31 * 24 * 3600)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at is None


def test_a_completed_payout_is_monitored_for_thirty_days(sandbox, wallet):
    withdrawal = make_completed_payout(sandbox, wallet)
    for _ in range(2):
        sweep_after(withdrawal, 13 * 3600)
        assert Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at is not None
    sweep_after(withdrawal, 30 * 24 * 3600)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at is None
    assert status_of(withdrawal) == "Completed"


def test_money_returned_by_the_bank_raises_an_alert_and_is_reversed_by_two_people(sandbox, wallet):
    withdrawal = make_completed_payout(sandbox, wallet)
    return_at_bank(sandbox, withdrawal)
    sweep_after(withdrawal, 13 * 3600)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert open_alerts() == {"payout_returned"}
    proposal = propose_action(withdrawal, ProposalAction.REVERSE)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    # The paid amount is credited; our fee of 30 is not.
    assert (status_of(withdrawal), wallet.kes) == ("Reversed", (Decimal(970), Decimal(0)))
    assert open_alerts() == set()
    assert_books_hold()
    sweeps.process_payout(withdrawal.id)
    assert status_of(withdrawal) == "Reversed"


def test_the_documented_account_is_returned_automatically(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet, account=RETURNED_ACCOUNT)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == "Completed"
    return_at_bank(sandbox, withdrawal)
    sweep_after(withdrawal, 13 * 3600)
    assert open_alerts() == {"payout_returned"}
    assert status_of(withdrawal) == "Completed"


# --- The bank list -------------------------------------------------------------------------------

BANK_LISTS = {"method": "GET", "path_prefix": "/v3/banks"}


def count_rows() -> tuple[int, int]:
    return Withdrawal.objects.count(), Payout.objects.count()


@every_fault
@pytest.mark.one_in(5)
def test_a_withdrawal_needs_a_bank_list(sandbox, fault, options):
    wallet = make_wallet(1000)
    sandbox.fault(fault, times=READ_ATTEMPTS, match=BANK_LISTS, **options)
    with pytest.raises(BankListUnavailable):
        wallet.request()
    assert (wallet.kes, count_rows()) == ((Decimal(1000), Decimal(0)), (0, 0))
    assert open_alerts() == {"bank_list"}
    sandbox.reset()
    assert wallet.request().status == "Pending"
    assert open_alerts() == set()
    assert_books_hold()


def test_a_fresh_bank_list_suffices_when_the_provider_fails(sandbox, wallet):
    sandbox.fault("error_5xx", times=50)
    assert wallet.request().status == "Pending"


def expire_bank_list() -> None:
    BankList.objects.update(fetched_at=timezone.now() - timedelta(hours=24, seconds=1))
    clear_bank_cache()


def test_an_expired_bank_list_is_only_used_if_the_setting_allows_it(
    sandbox: Sandbox, wallet: Wallet, settings: Settings
):
    expire_bank_list()
    sandbox.fault("error_5xx", times=50, match=BANK_LISTS)
    with pytest.raises(BankListUnavailable):
        wallet.request()
    assert (wallet.kes, count_rows()) == ((Decimal(1000), Decimal(0)), (0, 0))
    settings.BANK_LIST_SERVE_STALE = True
    assert wallet.request().status == "Pending"
    assert wallet.kes == HELD


def test_an_expired_bank_list_is_fetched_again(sandbox, wallet):
    expire_bank_list()
    assert wallet.request().status == "Pending"
    assert len(BankList.objects.get(currency_id="KES").banks) >= 10


# --- The name of an account ----------------------------------------------------------------------


@every_fault
@pytest.mark.one_in(5)
def test_an_unresolved_account_name_stays_as_given(sandbox, fault, options):
    wallet = make_wallet(10_000, currency="NGN")
    sandbox.fault(
        fault,
        times=READ_ATTEMPTS,
        match={"method": "POST", "path_prefix": "/v3/accounts/resolve"},
        **options,
    )
    withdrawal = wallet.request(5000, currency="NGN")
    assert (withdrawal.bank.account_name, withdrawal.bank.name_resolved) == ("Ada Obi", False)
    assert (withdrawal.status, wallet.balance("escrow", "NGN")) == ("Pending", Decimal(5000))
    assert_books_hold()


def test_a_resolved_account_name_replaces_the_given_one(sandbox):
    wallet = make_wallet(10_000, currency="NGN")
    withdrawal = wallet.request(5000, currency="NGN")
    assert withdrawal.bank.name_resolved
    assert withdrawal.bank.account_name not in {"", "Ada Obi"}
    assert withdrawal.bank.provided_name == "Ada Obi"
