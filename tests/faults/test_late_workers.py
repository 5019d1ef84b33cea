"""Workers that were held up for so long that what they claimed is about to be somebody else's."""

from __future__ import annotations

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
def held_up_after_the_claim(owner: Connection, seconds: float) -> Iterator[None]:
    """Whoever claims a payout goes on so much later: its lease is that much older."""
    owner.autocommit = True
    owner.execute(
        "CREATE FUNCTION held_up_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" NEW.leased_until := NEW.leased_until - interval '{seconds} seconds'; RETURN NEW; END $$"
    )
    owner.execute(
        "CREATE TRIGGER zz_held_up BEFORE UPDATE ON wallets_payout FOR EACH ROW"
        " WHEN (NEW.claimed_by <> '' AND NEW.claimed_by <> OLD.claimed_by)"
        " EXECUTE FUNCTION held_up_for_test()"
    )
    try:
        yield
    finally:
        owner.execute("DROP TRIGGER zz_held_up ON wallets_payout")
        owner.execute("DROP FUNCTION held_up_for_test()")


def test_nothing_is_ordered_in_the_last_half_of_a_lease(
    sandbox: Sandbox, wallet: Wallet, owner_connection: Connection, settings: Settings
):
    """The order would arrive about when another worker may take the payout up."""
    settings.PAYOUT_LEASE_SECONDS = 600
    withdrawal = make_approved_withdrawal(wallet)
    with held_up_after_the_claim(owner_connection, 310):
        payouts.send_payout(withdrawal.id)
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert payout.posted_at is None
    assert (status_of(withdrawal), wallet.kes) == ("Processing", HELD)
    assert (count_transfer_orders(sandbox, withdrawal), sandbox_transfers(sandbox, withdrawal)) == (
        0,
        [],
    )
    assert_books_hold()
    # The lease runs out, and the next worker orders it once.
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


def test_what_was_claimed_in_time_is_ordered(
    sandbox: Sandbox, wallet: Wallet, owner_connection: Connection, settings: Settings
):
    settings.PAYOUT_LEASE_SECONDS = 600
    withdrawal = make_approved_withdrawal(wallet)
    with held_up_after_the_claim(owner_connection, 240):
        payouts.send_payout(withdrawal.id)
    assert count_transfer_orders(sandbox, withdrawal) == 1


def claims(withdrawal: Withdrawal) -> tuple[str, int]:
    """Who has claimed the payout, and how often it was claimed."""
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    return payout.claimed_by, payout.attempts


def test_what_another_worker_has_claimed_or_the_provider_accepted_is_not_claimed_again(
    sandbox: Sandbox, wallet: Wallet
):
    withdrawal = make_approved_withdrawal(wallet)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    payouts.send_payout(withdrawal.id)
    assert (claims(withdrawal), count_transfer_orders(sandbox, withdrawal)) == ((claim.token, 1), 0)
    payouts._post(withdrawal.id, claim.token)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).provider_id != ""
    advance_time(withdrawal, 3600)
    payouts.send_payout(withdrawal.id)
    assert (claims(withdrawal), count_transfer_orders(sandbox, withdrawal)) == (("", 1), 1)


def test_a_payout_of_open_outcome_is_not_claimed(sandbox: Sandbox, wallet: Wallet):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("error_5xx", match=TRANSFERS)
    payouts.send_payout(withdrawal.id)
    before = claims(withdrawal)
    advance_time(withdrawal, 3600)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), claims(withdrawal)) == ("Unknown", before)
    assert count_transfer_orders(sandbox, withdrawal) == 1


@pytest.mark.parametrize("taken", [True, False], ids=["taken", "not taken"])
def test_an_order_whose_worker_died_is_asked_for_and_not_sent_again(
    sandbox: Sandbox, wallet: Wallet, taken: bool
):
    withdrawal = make_approved_withdrawal(wallet)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    assert payouts._mark_posting(withdrawal.id, claim.token)
    if taken:
        payment_provider().transfer(transfer_request(withdrawal))
    advance_time(withdrawal, 121)
    sweeps.process_payout(withdrawal.id)
    # The sandbox may have come to the outcome meanwhile.
    assert status_of(withdrawal) in ({"Processing", "Completed"} if taken else {"Unknown"})
    assert count_transfer_orders(sandbox, withdrawal) == taken
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert (payout.leased_until, payout.provider_id != "") == (None, taken)
    assert_books_hold()
