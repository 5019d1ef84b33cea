"""Races of staff and workers, each with a database connection of its own."""

from collections import Counter
from decimal import Decimal
from functools import partial

import pytest

from exchange.core.errors import StateConflict
from tests.environment.concurrency import Callers, race_size
from tests.environment.services import Sandbox
from tests.factories.payouts import (
    count_transfer_orders,
    propose_action,
    sandbox_transfers,
    settle_at_bank,
)
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import (
    SYSTEM,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    make_wallet,
    status_of,
    store_bank_list,
)
from wallets.deposits.services import manual as deposits
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import Account, Transfer, TransferKind
from wallets.ledger.posting import Leg
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions, sweeps
from wallets.withdrawals.models import Payout
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_concurrent_approvers_count_as_two_and_one_person_as_one():
    store_bank_list()
    wallet = make_wallet(50_000_000)
    people = [make_staff() for _ in range(4)]
    with Callers(4) as callers:
        for _ in range(12):
            withdrawal = wallet.request(500_000)
            results = callers.at_once(
                [
                    partial(
                        decisions.approve, withdrawal_id=withdrawal.id, version=1, approver=person
                    )
                    for person in people
                ]
            )
            # All submit version 1, so one approval counts and the others are stale.
            assert sum(isinstance(result, StateConflict) for result in results) == 3
            assert status_of(withdrawal) == "Pending"
    assert_books_hold()


def test_a_deposit_is_cancelled_or_confirmed_never_both():
    wallet = make_wallet(0)
    make_wallet(100_000)  # so that no deposit below is unusual
    office, finance = make_staff("add_deposit"), make_staff("decide_deposit")
    outcomes: Counter[str] = Counter()
    credited = 0
    rounds = race_size("DEPOSITS", 12)
    with Callers(2) as callers:
        for number in range(rounds):
            payment = deposits.IncomingPayment(
                organisation_id=wallet.organisation.id,
                member_id=None,
                currency="KES",
                amount=Decimal(100 + number),  # the same again would need a reason
                reference=f"wire {number}",
            )
            entered = deposits.enter(payment=payment, user=office)
            results = callers.at_once(
                [
                    partial(deposits.cancel, deposit_id=entered.id, user=office),
                    partial(deposits.confirm, deposit_id=entered.id, user=finance),
                ]
            )
            assert sum(isinstance(result, StateConflict) for result in results) == 1
            entered.refresh_from_db()
            outcomes[entered.state] += 1
            booked_once = Transfer.objects.filter(subject_id=entered.id).count()
            assert booked_once == (entered.state == "Completed")
            credited += booked_once * (100 + number)
    assert sum(outcomes.values()) == outcomes["Cancelled"] + outcomes["Completed"] == rounds
    assert wallet.balance() == credited
    assert_books_hold()


def test_opposite_transfers_do_not_deadlock():
    rounds = race_size("TRANSFERS", 15)
    one, other = make_wallet(1000), make_wallet(1000)
    ids = [
        Account.objects.get(owner_id=wallet.owner_id, kind="available").id
        for wallet in (one, other)
    ]

    def there_and_back(number: int) -> None:
        for turn in range(rounds):
            source, target = ids if (number + turn) % 2 else reversed(ids)
            post_unjustified(
                kind=TransferKind.PROVIDER_CHARGE,
                reference=f"race:{number}:{turn}",
                subject_id=None,
                actor=SYSTEM,
                legs=[Leg(source, Decimal(-1)), Leg(target, Decimal(1))],
            )

    with Callers(16) as callers:
        results = callers.at_once([partial(there_and_back, number) for number in range(16)])
    assert results == [None] * 16
    assert one.balance() + other.balance() == 2000
    assert Transfer.objects.filter(reference__startswith="race:").count() == 16 * rounds
    assert_books_hold()


@pytest.mark.slow
def test_requests_and_decisions_on_one_wallet_do_not_deadlock():
    """Requests lock the wallet first, decisions the withdrawal; both run on one wallet."""
    store_bank_list()
    wallet = make_wallet(20_000)
    person = make_staff()

    def ask_and_reject() -> int:
        made = 0
        for _ in range(15):
            try:
                withdrawal = wallet.request(500)
            except InsufficientBalance:
                continue
            decisions.reject(withdrawal_id=withdrawal.id, version=1, approver=person, reason="race")
            made += 1
        return made

    with Callers(12) as callers:
        results = callers.at_once([ask_and_reject] * 12)
    assert results == [15] * 12
    assert wallet.kes == (Decimal(20_000), Decimal(0))
    assert_books_hold()


@pytest.mark.parametrize("take", [payouts.send_payout, sweeps.process_payout])
@pytest.mark.one_in(2)
def test_a_payout_processed_and_checked_eight_times_at_once_is_ordered_once(
    provider_sandbox: Sandbox, take
):
    store_bank_list()
    wallet = make_member_wallet(1_000_000)
    with Callers(8) as callers:
        for _ in range(race_size("PAYOUTS", 6)):
            withdrawal = make_approved_withdrawal(wallet)
            results = callers.at_once([partial(take, withdrawal.id)] * 8)
            assert results == [None] * 8
            assert (
                count_transfer_orders(provider_sandbox, withdrawal),
                len(sandbox_transfers(provider_sandbox, withdrawal)),
            ) == (1, 1)
            settle_at_bank(provider_sandbox, withdrawal)
            results = callers.at_once([partial(payouts.check_status, withdrawal.id)] * 8)
            assert results == [None] * 8
            assert status_of(withdrawal) == "Completed"
    assert wallet.balance("escrow") == 0
    assert_books_hold()


@pytest.mark.slow
def test_a_status_check_and_two_people_do_not_both_close_a_payout(provider_sandbox: Sandbox):
    """The transfer appears at the moment a second person confirms that it failed."""
    store_bank_list()
    wallet = make_member_wallet(1_000_000)
    outcomes: Counter[str] = Counter()
    with Callers(4) as callers:
        for _ in range(10):
            withdrawal = make_approved_withdrawal(wallet)
            payouts.send_payout(withdrawal.id)
            # Hidden from the first status check, and from the first one of those below.
            provider_sandbox.fault("hidden", times=2, match={"reference": withdrawal.reference})
            payouts.check_status(withdrawal.id)
            assert status_of(withdrawal) == "Unknown"
            long_ago = Payout.objects.get(withdrawal_id=withdrawal.id).created_at
            Payout.objects.filter(withdrawal_id=withdrawal.id).update(
                not_found_count=2,
                first_not_found_at=long_ago.replace(year=2020),
                last_not_found_at=long_ago,
            )
            proposal = propose_action(withdrawal, ProposalAction.FAIL)
            settle_at_bank(provider_sandbox, withdrawal)
            callers.at_once(
                [
                    partial(payouts.check_status, withdrawal.id),
                    partial(resolutions.confirm, proposal_id=proposal.id, resolver=make_staff()),
                    partial(payouts.check_status, withdrawal.id),
                ]
            )
            outcomes[status_of(withdrawal)] += 1
    assert set(outcomes) <= {"Completed", "Failed"}
    assert wallet.balance("escrow") == 0
    assert wallet.balance() == 1_000_000 - 500 * outcomes["Completed"]
    assert_books_hold()
