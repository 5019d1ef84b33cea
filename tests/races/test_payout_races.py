"""Races of workers for one payout: eight processes receive the same task."""

from collections.abc import Iterator

import pytest

from exchange.events.models import Event
from tests.environment.concurrency import race_size
from tests.environment.lock_barrier import LockBarrier
from tests.environment.services import Sandbox, ServiceStack
from tests.environment.workers import Workers
from tests.factories.payouts import count_transfer_orders, sandbox_transfers, settle_at_bank
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    status_of,
    store_bank_list,
)
from wallets.ledger.models import Transfer
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Payout, Withdrawal

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

WORKERS = 8
SWEEP = "wallets.tasks.sweep_payouts"


@pytest.fixture(scope="module")
def workers(service_stack: ServiceStack) -> Iterator[Workers]:
    with Workers(service_stack, WORKERS) as made:
        yield made


@pytest.fixture
def wallet(transactional_db: None) -> Wallet:
    store_bank_list()
    return make_member_wallet(1_000_000)


def check_paid_once(sandbox: Sandbox, withdrawal: Withdrawal) -> None:
    """Check for one order and one transfer at the provider, and settle it once."""
    (transfer,) = sandbox_transfers(sandbox, withdrawal)
    assert (transfer["amount"], transfer["currency"]) == (470, "KES")
    assert count_transfer_orders(sandbox, withdrawal) == 1
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    assert (payout.attempts, payout.provider_id) == (1, str(transfer["id"]))
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == "Completed"
    moved = Transfer.objects.filter(subject_id=withdrawal.id, kind="withdrawal_settle")
    assert moved.count() == 1
    events = Event.objects.filter(subject_id=withdrawal.id)
    assert sorted(events.values_list("type", flat=True)) == [
        f"withdrawal.{done}" for done in ("approved", "completed", "created", "processing")
    ]


def test_a_payout_that_eight_workers_try_to_claim_is_ordered_once(
    provider_sandbox: Sandbox, wallet: Wallet, workers: Workers
):
    with LockBarrier("wallets_withdrawal", runners=WORKERS) as barrier:
        for _ in range(race_size("PAYOUTS", 6)):
            withdrawal = make_approved_withdrawal(wallet)
            barrier.hold()
            tasks = workers.send_to_each(SWEEP)
            # All workers have found the payout due, and none has claimed it.
            barrier.release()
            assert [len(done) for done in workers.await_done(tasks)] == [1] * WORKERS
            check_paid_once(provider_sandbox, withdrawal)
    assert wallet.balance("escrow") == 0
    assert_books_hold()


def test_payouts_that_eight_workers_sweep_are_ordered_once_each(
    provider_sandbox: Sandbox, wallet: Wallet, workers: Workers
):
    """Many payouts are due, and the workers may collide at any step."""
    due = [make_approved_withdrawal(wallet) for _ in range(race_size("PAYOUTS", 6))]
    tasks = [task for _ in range(3) for task in workers.send_to_each(SWEEP)]
    workers.await_done(tasks)
    for withdrawal in due:
        check_paid_once(provider_sandbox, withdrawal)
    assert wallet.balance("escrow") == 0
    assert_books_hold()
