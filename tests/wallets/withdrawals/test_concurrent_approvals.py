"""Concurrent approvals respect the same limits as sequential ones."""

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
import pytest

from exchange.core.errors import StateConflict
from tests.environment.concurrency import Callers
from tests.environment.processes import wait_until
from tests.factories.configuration import set_setting
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    make_staff,
    make_wallet,
    status_of,
    store_bank_list,
)
from tests.wallets.withdrawals.approval_requests import (
    PART,
    SOLE,
    account_number,
    approve,
    request_every_25_hours,
    request_in_parts,
)
from wallets.withdrawals.models import Payout, Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def banks() -> None:
    store_bank_list()


def decide_at_once(callers: Callers, calls: list[Callable[[], Withdrawal]]) -> None:
    """Run the decisions concurrently; each succeeds or raises a state conflict."""
    for outcome in callers.at_once(calls):
        assert isinstance(outcome, Withdrawal | StateConflict), outcome


def test_concurrent_approvals_for_one_account_respect_the_threshold(owner_connection):
    with Callers(3) as callers:
        for _ in range(4):
            parts = request_every_25_hours(owner_connection, 3)
            decide_at_once(callers, [partial(approve, part) for part in parts])
            assert {status_of(part) for part in parts} == {"Pending"}


def test_concurrent_approvals_of_one_person_respect_the_limit():
    set_setting(SOLE, 3 * PART)
    person = make_staff()
    with Callers(8) as callers:
        for _ in range(4):
            parts = request_in_parts(8)
            decide_at_once(callers, [partial(approve, part, person) for part in parts])
            assert Counter(status_of(part) for part in parts) in (
                Counter(Approved=3, Pending=5),
                Counter(Pending=8),
            )
    alone = Withdrawal.objects.filter(
        first_approver=person, second_approver=None, status="Approved"
    )
    assert alone.count() == 3
    assert_books_hold()


def test_concurrent_approvals_for_one_owner_respect_the_threshold():
    with Callers(4) as callers:
        for _ in range(4):
            wallet = make_wallet(4 * PART)
            parts = [wallet.request(PART, account=account_number(n)) for n in range(4)]
            decide_at_once(callers, [partial(approve, part) for part in parts])
            assert {status_of(part) for part in parts} == {"Pending"}


def test_concurrent_requests_and_approvals_respect_the_threshold():
    """Each part is approved right after its request, while others are requested."""

    def request_and_approve(wallet: Wallet, number: int) -> Withdrawal:
        return approve(wallet.request(PART, account=account_number(number)))

    with Callers(6) as callers:
        for _ in range(5):
            wallet = make_wallet(6 * PART)
            decide_at_once(callers, [partial(request_and_approve, wallet, n) for n in range(6)])
            alone = Withdrawal.objects.filter(owner_id=wallet.owner_id, status="Approved")
            assert sum(row.amount for row in alone) < 500_000
            assert Withdrawal.objects.filter(owner_id=wallet.owner_id).count() == 6
    assert_books_hold()


def test_a_request_made_during_an_approval_is_a_conflict(owner_connection):
    """More is requested while the approval waits for another one of the same person."""
    wallet, person = make_wallet(3 * PART), make_staff()
    first = wallet.request(PART)
    with Callers(2) as callers:

        def request_more() -> None:
            with owner_connection.transaction():
                owner_connection.execute("SELECT sole_approvals(%s, %s)", [person.pk, first.id])
                held.set()
                wait_until(
                    lambda: waiting_for_advisory_lock(owner_connection), "the approval waits"
                )
                for _ in range(2):
                    wallet.request(PART)

        def approve_first() -> Withdrawal:
            held.wait()
            return approve(first, person)

        held = threading.Event()
        _, outcome = callers.at_once([request_more, approve_first])
    assert isinstance(outcome, StateConflict), outcome
    assert "Two approvals are now required" in str(outcome)
    assert status_of(first) == "Pending"
    assert not Payout.objects.filter(withdrawal_id=first.id).exists()
    assert approve(first, person).status == "Pending"


def waiting_for_advisory_lock(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute(
        "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
        " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted"
    ).fetchone()
    return row is not None and row[0] == 1
