"""Returns of an Approved payout by two people, and workers that claim it at the same time."""

import threading
from decimal import Decimal
from functools import partial

import pytest
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from exchange.core.errors import DomainError, Rejected, StateConflict
from exchange.events.models import Event
from tests.environment.concurrency import Callers
from tests.environment.lock_barrier import LockBarrier
from tests.environment.services import Sandbox
from tests.environment.write_pause import WritePause
from tests.factories.payouts import (
    GIVEN_BACK,
    HALF_AN_HOUR,
    HELD,
    PAID_OUT,
    STATUS_CHECKS,
    TRANSFERS,
    advance_time,
    count_transfer_orders,
    propose_action,
    propose_and_confirm,
    return_at_bank,
    sandbox_transfers,
    settle_at_bank,
)
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    status_of,
)
from wallets.ledger.models import Transfer
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions, sweeps
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus
from wallets.withdrawals.services.transitions import change_status, lock_withdrawal

ROUNDS = 12


def events(withdrawal: Withdrawal) -> list[str]:
    rows = Event.objects.filter(subject_id=withdrawal.id).order_by("id")
    return [kind.removeprefix("withdrawal.") for kind in rows.values_list("type", flat=True)]


def confirm(proposal: Proposal) -> Withdrawal:
    return resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())


def test_a_return_by_two_people_releases_the_money(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    propose_and_confirm(withdrawal, ProposalAction.RETURN)
    assert (status_of(withdrawal), wallet.kes) == ("Rejected", GIVEN_BACK)
    withdrawal.refresh_from_db()
    assert (withdrawal.reason, withdrawal.version) == ("why", 3)
    assert events(withdrawal) == ["created", "approved", "rejected"]
    moved = Transfer.objects.filter(subject_id=withdrawal.id).order_by("created_at", "id")
    assert [row.kind for row in moved] == ["withdrawal_hold", "withdrawal_release"]
    # The payout is closed and is not processed again.
    assert Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at is None
    advance_time(withdrawal, 3600)
    payouts.send_payout(withdrawal.id)
    sweeps.process_payout(withdrawal.id)
    assert (status_of(withdrawal), count_transfer_orders(sandbox, withdrawal)) == ("Rejected", 0)
    assert_books_hold()


def test_an_outdated_return_proposal_does_not_block_another(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    late = propose_action(withdrawal, ProposalAction.RETURN)
    with pytest.raises(StateConflict, match="Another proposal"):
        propose_action(withdrawal, ProposalAction.RETURN)
    payouts.send_payout(withdrawal.id)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    return_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    reversal = propose_action(withdrawal, ProposalAction.REVERSE)
    late.refresh_from_db()
    assert (late.status, late.decided_by_id) == ("Rejected", reversal.proposed_by_id)
    decisions = withdrawal.decisions.values_list("verdict", "details__action", "reason")
    assert list(decisions)[-2:] == [
        ("Decline", "Return", "No longer possible"),
        ("Propose", "Reverse", "why"),
    ]
    confirm(reversal)
    assert status_of(withdrawal) == "Reversed"
    assert_books_hold()


def test_a_return_needs_two_people(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    proposer = make_staff()
    proposal = resolutions.propose(
        withdrawal_id=withdrawal.id,
        action=ProposalAction.RETURN,
        reason="the bank is closed",
        proposer=proposer,
    )
    with pytest.raises(Rejected) as error:
        resolutions.confirm(proposal_id=proposal.id, resolver=proposer)
    assert error.value.code == "approver_not_independent"
    assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)


def test_a_pending_claimed_or_sent_withdrawal_cannot_be_returned(sandbox, wallet):
    pending = wallet.request(100)
    claimed = make_approved_withdrawal(wallet, 100)
    assert payouts._claim(claimed.id) is not None
    sent = make_approved_withdrawal(wallet, 100)
    payouts.send_payout(sent.id)
    before = wallet.kes
    for withdrawal in (pending, claimed, sent):
        with pytest.raises(Rejected) as error:
            propose_action(withdrawal, ProposalAction.RETURN)
        assert error.value.code == "payout_not_waiting"
    assert wallet.kes == before
    assert not Proposal.objects.exists()


def test_a_payout_that_may_have_been_paid_cannot_be_returned(sandbox, wallet):
    """A payout that two people send again is Approved, but may already have been paid."""
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.fault("timeout_after", match=TRANSFERS)
    sandbox.fault("hidden", times=3, match=STATUS_CHECKS)
    payouts.send_payout(withdrawal.id)
    advance_time(withdrawal, HALF_AN_HOUR)
    sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    assert status_of(withdrawal) == "Approved"
    with pytest.raises(Rejected) as error:
        propose_action(withdrawal, ProposalAction.RETURN)
    assert error.value.code == "payout_not_waiting"
    # The database also rejects a return that is written directly.
    people = make_staff(), make_staff()
    Proposal.objects.create(
        withdrawal=withdrawal,
        action=ProposalAction.RETURN,
        reason="why",
        proposed_by=people[0],
        created_at=timezone.now(),
    )
    Proposal.objects.filter(action=ProposalAction.RETURN).update(
        status="Approved", decided_by=people[1], decided_at=timezone.now()
    )
    with pytest.raises(IntegrityError, match="or may be sent"):
        reject_directly(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)


def test_a_claim_between_proposal_and_confirmation_wins(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    proposal = propose_action(withdrawal, ProposalAction.RETURN)
    payouts.send_payout(withdrawal.id)
    with pytest.raises(Rejected) as error:
        confirm(proposal)
    assert error.value.code == "payout_not_waiting"
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.id)
    assert (status_of(withdrawal), wallet.kes) == ("Completed", PAID_OUT)
    assert_books_hold()


@pytest.mark.parametrize(
    ("table", "write", "winner"),
    [
        ("wallets_withdrawal", "NEW.status = 'Processing'", "Processing"),
        ("wallets_payout", "NEW.claimed_by <> ''", "Processing"),
        ("wallets_proposal", "NEW.status = 'Approved'", "Rejected"),
        ("wallets_withdrawal", "NEW.status = 'Rejected'", "Rejected"),
    ],
)
@pytest.mark.one_in(3)
def test_the_first_lock_decides_between_a_claim_and_a_return(
    sandbox: Sandbox, wallet: Wallet, table: str, write: str, winner: str
):
    """One of the two is paused before its write while the other waits for the lock."""
    withdrawal = make_approved_withdrawal(wallet)
    proposal = propose_action(withdrawal, ProposalAction.RETURN)
    raised: list[DomainError] = []

    def pay() -> None:
        payouts.send_payout(withdrawal.id)
        connections.close_all()

    def return_payout() -> None:
        try:
            confirm(proposal)
        except DomainError as error:
            raised.append(error)
        connections.close_all()

    first, second = (pay, return_payout) if winner == "Processing" else (return_payout, pay)
    with WritePause("UPDATE", table, write) as pause:
        one = threading.Thread(target=first)
        one.start()
        pause.wait()
        other = threading.Thread(target=second)
        other.start()
        pause.release()
        one.join()
        other.join()
    assert status_of(withdrawal) == winner
    assert count_transfer_orders(sandbox, withdrawal) == (winner == "Processing")
    assert [error.code for error in raised if isinstance(error, Rejected)] == (
        ["payout_not_waiting"] if winner == "Processing" else []
    )
    assert_books_hold()


@pytest.mark.slow
def test_concurrent_claims_and_returns_have_one_winner_for_each_payout(sandbox: Sandbox):
    wallet = make_member_wallet(ROUNDS * 500)
    returned = 0
    with Callers(3) as callers, LockBarrier("wallets_withdrawal", runners=2) as barrier:
        for _ in range(ROUNDS):
            withdrawal = make_approved_withdrawal(wallet)
            proposal = propose_action(withdrawal, ProposalAction.RETURN)
            resolver = make_staff()
            barrier.hold()
            callers.at_once(
                [
                    partial(payouts.send_payout, withdrawal.id),
                    partial(resolutions.confirm, proposal_id=proposal.id, resolver=resolver),
                    barrier.release,
                ]
            )
            status = status_of(withdrawal)
            assert status in {"Processing", "Completed", "Rejected"}
            returned += status == "Rejected"
            assert len(sandbox_transfers(sandbox, withdrawal)) == (status != "Rejected")
    assert wallet.balance() == Decimal(500) * returned
    assert_books_hold()


def reject_directly(withdrawal: Withdrawal) -> None:
    with transaction.atomic():
        change_status(
            lock_withdrawal(withdrawal.id),
            from_statuses=(WithdrawalStatus.APPROVED,),
            to=WithdrawalStatus.REJECTED,
        )


def test_the_database_rejects_a_return_without_two_people(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    propose_action(withdrawal, ProposalAction.RETURN)
    with pytest.raises(IntegrityError, match="not returned by two"):
        reject_directly(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)


def test_the_database_rejects_a_return_of_a_claimed_payout(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    proposal = propose_action(withdrawal, ProposalAction.RETURN)
    assert payouts._claim(withdrawal.id) is not None
    with transaction.atomic():
        change_status(
            lock_withdrawal(withdrawal.id),
            from_statuses=(WithdrawalStatus.PROCESSING,),
            to=WithdrawalStatus.APPROVED,
            emit=False,
        )
    Proposal.objects.filter(id=proposal.id).update(status="Approved", decided_by=make_staff())
    with pytest.raises(IntegrityError, match="or may be sent"):
        reject_directly(withdrawal)
    assert (status_of(withdrawal), wallet.kes) == ("Approved", HELD)
