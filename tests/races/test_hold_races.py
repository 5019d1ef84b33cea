"""Races of freezes and chargebacks with what moves money: a block that commits first counts."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import connections, transaction

from exchange.core.errors import Conflict, DomainError
from orders.book.models import Order
from orders.freezing.services import confirm_reversal, freeze_owner
from tests.environment.database import server_url, worker_database
from tests.environment.processes import wait_until
from tests.factories.holds import REASON, freezer, make_paid_deposit
from tests.factories.tokens import make_token
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    make_wallet,
    status_of,
    store_bank_list,
)
from wallets.deposits.services.reversals import propose_reversal
from wallets.freezes.models import Freeze
from wallets.ledger.models import Account
from wallets.payouts.services import execution as payouts
from wallets.receivables.services.repayments import amount_owed
from wallets.withdrawals.models import Payout, Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)


def run_together(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls at once, on a connection each; return their results or refusals."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            start.wait()
            return call()
        except DomainError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def waiting_for_an_owner() -> bool:
    """Return whether a session waits for the lock of an owner."""
    with psycopg.connect(server_url(worker_database())) as watch:
        row = watch.execute(
            "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted"
        ).fetchone()
    return row is not None and row[0] > 0


def start_and_wait(call: Callable[[], Any], threads: ThreadPoolExecutor) -> Any:
    """Start `call` in a thread and return its future once it waits for the owner."""

    def run() -> Any:
        try:
            return call()
        except DomainError as error:
            return error
        finally:
            connections.close_all()

    future = threads.submit(run)
    wait_until(waiting_for_an_owner, "the call waits for the owner")
    return future


def freeze_call(wallet: Wallet) -> Callable[[], Freeze]:
    return partial(
        freeze_owner,
        owner=wallet.member or wallet.organisation,
        currency=None,
        reason=REASON,
        user=freezer(),
    )


def withdraw(wallet: Wallet) -> None:
    wallet.submit_request(500)


def place(trader: Trader, token: Any) -> None:
    trader.place(token, "Buy", 90, 5)


@pytest.fixture(autouse=True)
def bank_list(transactional_db: None) -> None:
    store_bank_list()


def test_what_waits_for_a_freeze_sees_it():
    """The requests start before the freeze commits; the wallet is new to one of them."""
    own, other = make_trader(5_000), make_trader()
    token = make_token(currency="KES")
    with ThreadPoolExecutor(4) as threads:
        with transaction.atomic():
            freeze_call(own.wallet)()
            freeze_call(other.wallet)()
            waiting = [
                start_and_wait(partial(withdraw, own.wallet), threads),
                start_and_wait(partial(place, own, token), threads),
            ]
            # Money arrives in a wallet that had no account when it was frozen.
            run_together(partial(other.wallet.fund, 5_000))
            waiting.append(start_and_wait(partial(withdraw, other.wallet), threads))
        refusals = [future.result() for future in waiting]
    assert [getattr(each, "code", None) for each in refusals] == ["account_frozen"] * 3
    assert Withdrawal.objects.count() == Order.objects.count() == 0
    assert_books_hold()


def test_a_freeze_waits_for_a_request_that_runs_and_cancels_its_order():
    trader = make_trader(5_000)
    token, freezing = make_token(currency="KES"), freeze_call(trader.wallet)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            order = trader.place(token, "Buy", 90, 5)
            future = start_and_wait(freezing, threads)
        assert isinstance(future.result(), Freeze)
    assert Order.objects.get(pk=order).status == "Cancelled"
    assert (trader.balance("KES"), trader.balance("KES", "reserved")) == (5_000, 0)
    assert_books_hold()


def test_no_order_survives_a_freeze_whatever_the_order_of_the_calls():
    traders = [make_trader(5_000, member=bool(n % 2)) for n in range(6)]
    tokens = [make_token(currency="KES") for _ in range(2)]
    calls: list[Callable[[], Any]] = []
    for trader in traders:
        calls += [partial(place, trader, token) for token in tokens]
        calls.append(freeze_call(trader.wallet))
    results = run_together(*calls)
    refused = [each for each in results if isinstance(each, DomainError)]
    assert {each.code for each in refused} <= {"account_frozen"}
    assert Freeze.objects.count() == len(traders)
    assert not Order.objects.filter(status="Active").exists()
    assert Order.objects.count() == 12 - len(refused)
    assert_books_hold()


def test_withdrawals_and_a_freeze_at_once_do_either_and_nothing_after_it():
    wallet = make_member_wallet(5_000)
    results = run_together(*[partial(withdraw, wallet)] * 5, freeze_call(wallet))
    outcomes = Counter(getattr(each, "code", "done") for each in results)
    assert set(outcomes) <= {"done", "account_frozen"}
    requested = Withdrawal.objects.count()
    assert [requested, wallet.balance()] == [outcomes["done"] - 1, 5_000 - 500 * requested]
    with pytest.raises(Conflict):
        withdraw(wallet)
    assert_books_hold()


def test_a_worker_that_marks_waits_for_a_freeze_and_posts_nothing():
    withdrawal = make_approved_withdrawal(make_wallet(5_000))
    wallet = Wallet(withdrawal.organisation)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            freeze_call(wallet)()
            future = start_and_wait(
                partial(payouts._mark_posting, withdrawal, claim.token), threads
            )
        assert future.result() is False
    payout = Payout.objects.get(withdrawal=withdrawal)
    assert (status_of(withdrawal), payout.posted_at) == ("Approved", None)


def test_a_payout_that_was_marked_first_is_posted_and_the_freeze_follows():
    withdrawal = make_approved_withdrawal(make_wallet(5_000))
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    freezing = freeze_call(Wallet(withdrawal.organisation))
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            assert payouts._mark_posting(withdrawal, claim.token)
            future = start_and_wait(freezing, threads)
        assert isinstance(future.result(), Freeze)
    assert Payout.objects.get(withdrawal=withdrawal).posted_at is not None
    assert status_of(withdrawal) == "Processing"


def test_a_chargeback_and_withdrawals_at_once_leave_a_debt_or_refuse():
    """No account goes below zero: what was withdrawn before the chargeback is owed."""
    wallet = make_member_wallet()
    deposit = make_paid_deposit(wallet, "2000")
    people = [make_staff("reverse_deposit") for _ in range(2)]
    proposal = propose_reversal(deposit_id=deposit.pk, explanation="Chargeback", user=people[0])
    reversal = partial(confirm_reversal, reversal_id=proposal.pk, user=people[1])
    results = run_together(*[partial(withdraw, wallet)] * 4, reversal)
    outcomes = Counter(getattr(each, "code", "done") for each in results)
    assert set(outcomes) <= {"done", "insufficient_balance", "receivable_due"}
    requested = 500 * Withdrawal.objects.count()
    assert requested == 500 * (outcomes["done"] - 1)
    assert [*wallet.kes, amount_owed(wallet.owner_id, "KES")] == [0, requested, requested]
    assert not Account.objects.filter(balance__lt=0).exclude(kind="receivable").exists()
    assert_books_hold()


def test_a_payout_that_waits_for_a_chargeback_is_not_posted():
    wallet = make_member_wallet()
    deposit = make_paid_deposit(wallet, "1000")
    withdrawal = make_approved_withdrawal(wallet, 1000)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    people = [make_staff("reverse_deposit") for _ in range(2)]
    proposal = propose_reversal(deposit_id=deposit.pk, explanation="Chargeback", user=people[0])
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            confirm_reversal(reversal_id=proposal.pk, user=people[1])
            future = start_and_wait(
                partial(payouts._mark_posting, withdrawal, claim.token), threads
            )
        assert future.result() is False
    assert status_of(withdrawal) == "Approved"
    assert amount_owed(wallet.owner_id, "KES") == 1000
    assert_books_hold()
