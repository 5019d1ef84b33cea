"""Workers that were delayed until their claim is about to expire."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pytest_django import Settings

from tests.environment.database import Connection
from tests.environment.services import Sandbox
from tests.factories.payouts import (
    HELD,
    PAID_OUT,
    TRANSFERS,
    advance_time,
    count_transfer_orders,
    sandbox_transfers,
    settle_at_bank,
)
from tests.factories.wallets import Wallet, assert_books_hold, make_approved_withdrawal, status_of
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import sweeps
from wallets.providers.registry import payment_provider
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.services.transfer_requests import transfer_request

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def delayed_after_claim(owner: Connection, seconds: float) -> Iterator[None]:
    """Age the lease of each new claim by this time, as if its worker had been delayed."""
    owner.autocommit = True
    owner.execute(
        "CREATE FUNCTION age_lease_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" NEW.leased_until := NEW.leased_until - interval '{seconds} seconds'; RETURN NEW; END $$"
    )
    owner.execute(
        "CREATE TRIGGER zz_age_lease BEFORE UPDATE ON wallets_payout FOR EACH ROW"
        " WHEN (NEW.claimed_by <> '' AND NEW.claimed_by <> OLD.claimed_by)"
        " EXECUTE FUNCTION age_lease_for_test()"
    )
    try:
        yield
    finally:
        owner.execute("DROP TRIGGER zz_age_lease ON wallets_payout")
        owner.execute("DROP FUNCTION age_lease_for_test()")


def test_no_transfer_is_ordered_in_the_last_half_of_a_lease(
    sandbox: Sandbox, wallet: Wallet, owner_connection: Connection, settings: Settings
):
    """The order could arrive when another worker may already claim the payout."""
    settings.PAYOUT_LEASE_SECONDS = 600
    withdrawal = make_approved_withdrawal(wallet)
    with delayed_after_claim(owner_connection, 310):
        payouts.send_payout(withdrawal.id)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.posted_at is None
    assert (status_of(withdrawal), wallet.kes) == ("Processing", HELD)
    assert (count_transfer_orders(sandbox, withdrawal), sandbox_transfers(sandbox, withdrawal)) == (
        0,
        [],
    )
    assert_books_hold()
    # The lease expires, and the next worker orders the transfer once.
    advance_time(withdrawal, 600)
    sweeps.process_payout(withdrawal.id)
    assert count_transfer_orders(sandbox, withdrawal) == 1
    sweeps.process_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    advance_time(withdrawal, 3600)
    sweeps.process_payout(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert count_transfer_orders(sandbox, withdrawal) == 1
    assert_books_hold()


def test_a_transfer_is_ordered_in_the_first_half_of_a_lease(
    sandbox: Sandbox, wallet: Wallet, owner_connection: Connection, settings: Settings
):
    settings.PAYOUT_LEASE_SECONDS = 600
    withdrawal = make_approved_withdrawal(wallet)
    with delayed_after_claim(owner_connection, 240):
        payouts.send_payout(withdrawal.id)
    assert count_transfer_orders(sandbox, withdrawal) == 1


def claim_state(withdrawal: Withdrawal) -> tuple[str, int]:
    """Return the token of the payout's claim and the number of its claims."""
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    return payout.claimed_by, payout.attempts


def test_a_claimed_or_accepted_payout_is_not_claimed_again(sandbox: Sandbox, wallet: Wallet):
    withdrawal = make_approved_withdrawal(wallet)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    payouts.send_payout(withdrawal.id)
    assert (claim_state(withdrawal), count_transfer_orders(sandbox, withdrawal)) == (
        (claim.token, 1),
        0,
    )
    payouts._post(withdrawal.id, claim.token)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).provider_id != ""
    advance_time(withdrawal, 3600)
    payouts.send_payout(withdrawal.id)
    assert (claim_state(withdrawal), count_transfer_orders(sandbox, withdrawal)) == (("", 1), 1)


def test_an_unknown_payout_is_not_claimed(sandbox: Sandbox, wallet: Wallet):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("error_5xx", match=TRANSFERS)
    payouts.send_payout(withdrawal.id)
    before = claim_state(withdrawal)
    advance_time(withdrawal, 3600)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), claim_state(withdrawal)) == ("Unknown", before)
    assert count_transfer_orders(sandbox, withdrawal) == 1


@pytest.mark.parametrize("accepted", [True, False], ids=["accepted", "not accepted"])
def test_an_order_of_a_dead_worker_is_checked_and_not_sent_again(
    sandbox: Sandbox, wallet: Wallet, accepted: bool
):
    withdrawal = make_approved_withdrawal(wallet)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    assert payouts._mark_posting(withdrawal, claim.token)
    if accepted:
        payment_provider().transfer(transfer_request(withdrawal))
    advance_time(withdrawal, 121)
    sweeps.process_payout(withdrawal.id)
    # The sandbox may have completed the transfer by now.
    assert status_of(withdrawal) in ({"Processing", "Completed"} if accepted else {"Unknown"})
    assert count_transfer_orders(sandbox, withdrawal) == accepted
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert (payout.leased_until, payout.provider_id != "") == (None, accepted)
    assert_books_hold()
