"""What the bank says long after a payout is closed is looked up, whatever became of the payout."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from config.local.sandbox import SandboxServer
from tests.factories.payouts import open_alerts, propose_action
from tests.factories.wallets import Wallet, assert_books_hold, make_staff, make_wallet
from tests.wallets.reconciliation.harness import pay, settle_at_bank
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import sweeps
from wallets.payouts.services.resolutions import confirm
from wallets.withdrawals.models import Payout, Withdrawal

pytestmark = pytest.mark.django_db


@pytest.fixture
def wallet(sandbox: SandboxServer) -> Wallet:
    sandbox.store.set_float("KES", Decimal(20_000))
    return make_wallet(5000)


def completed_long_ago(sandbox: SandboxServer, wallet: Wallet) -> Withdrawal:
    """Return a completed withdrawal whose payout is no longer checked."""
    withdrawal = pay(wallet)
    settle_at_bank(sandbox, withdrawal)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Completed"
    Payout.objects.filter(withdrawal=withdrawal).update(
        next_step_at=None, monitor_until=timezone.now() - timedelta(days=40)
    )
    return withdrawal


def learn(withdrawal: Withdrawal) -> None:
    """Do what a webhook of the payout leads to."""
    assert sweeps.expedite(withdrawal.reference) == withdrawal.id
    assert sweeps.due_payouts() == [(withdrawal.id, withdrawal.status)]
    sweeps.process_payout(withdrawal.id)


def test_a_payout_returned_after_its_monitoring_ended_is_found(sandbox, wallet):
    withdrawal = completed_long_ago(sandbox, wallet)
    sandbox.store.return_money(withdrawal.reference)
    learn(withdrawal)
    assert open_alerts() == {"payout_returned"}
    assert Payout.objects.get().next_step_at is None
    assert_books_hold()


def test_a_reversed_payout_that_was_paid_after_all_is_found(sandbox, wallet):
    withdrawal = completed_long_ago(sandbox, wallet)
    sandbox.store.return_money(withdrawal.reference)
    learn(withdrawal)
    confirm(
        proposal_id=propose_action(withdrawal, ProposalAction.REVERSE).pk, resolver=make_staff()
    )
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Reversed"
    with sandbox.store._lock, sandbox.store._db:
        sandbox.store._db.execute("UPDATE transfers SET status = 'SUCCESSFUL'")
    learn(withdrawal)
    assert "paid_after_failure" in open_alerts()
    assert_books_hold()
