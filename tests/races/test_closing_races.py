"""Closing of a member against all that moves its money: nothing is left with a closed member."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from exchange.core.errors import DomainError
from exchange.participants.models import Member
from tests.environment.concurrency import Callers
from tests.environment.processes import wait_until
from tests.environment.write_pause import WritePause
from tests.factories.api_clients import TESTER, make_member
from tests.factories.deposits import Owner, arrive, make_virtual_account, transaction_record
from tests.factories.tokens import make_token
from tests.factories.traders import Trader
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_wallet
from tests.races.test_interleavings import is_waiting_for_row
from wallets.closing.services import close_member, reopen_member
from wallets.deposits.models import Payment
from wallets.ledger.models import Account
from wallets.transfers.commands import TransferMoney
from wallets.transfers.services import transfer_money

pytestmark = pytest.mark.django_db(transaction=True)

EMPTY, CLOSED = "This member still has 50 KES", "This member is closed"
MOVING = "The balances of this member are changing. Try again"


def close(wallet: Wallet) -> Member:
    assert wallet.member is not None
    return close_member(
        organisation_id=wallet.organisation.id, member_id=wallet.member.id, actor=TESTER
    )


def reopen(wallet: Wallet) -> Member:
    assert wallet.member is not None
    return reopen_member(
        organisation_id=wallet.organisation.id, member_id=wallet.member.id, actor=TESTER
    )


def transfer(
    wallet: Wallet, amount: int, *, payer: UUID | None = None, payee: UUID | None = None
) -> None:
    transfer_money(
        TransferMoney(
            organisation=wallet.organisation.id,
            member=payer,
            payee=payee,
            actor=str(TESTER),
            amount=Decimal(amount),
            currency="KES",
        )
    )


class Attempt(threading.Thread):
    """A call in a thread of its own; `outcome` is what it returned, or the message of its error."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__()
        self._call = call
        self.outcome: Any = None

    def run(self) -> None:
        try:
            self.outcome = self._call()
        except DomainError as error:
            self.outcome = error.message
        finally:
            connections.close_all()


@contextmanager
def paused(call: Callable[[], Any], *write: str) -> Iterator[Attempt]:
    """Run `call` to `write`, then the block, then the rest of `call`."""
    attempt = Attempt(call)
    with WritePause(*write) as pause:
        attempt.start()
        pause.wait()
        yield attempt
        pause.release()
        attempt.join()


CLOSING = ("UPDATE", "exchange_member", "NEW.closed_at IS NOT NULL")


def member_wallet(amount: int = 0) -> Wallet:
    """Return an empty wallet of a member of an organisation with that much."""
    organisation = make_wallet(amount).organisation
    return Wallet(organisation, make_member(organisation))


@pytest.mark.parametrize("with_account", [True, False])
def test_a_transfer_to_a_member_that_is_being_closed_waits_and_is_refused(with_account):
    wallet = member_wallet(100)
    if with_account:
        transfer(wallet, 10, payee=wallet.member_id)
        transfer(wallet, 10, payer=wallet.member_id)
    credit = Attempt(partial(transfer, wallet, 50, payee=wallet.member_id))
    with paused(partial(close, wallet), *CLOSING) as closing:
        credit.start()
        wait_until(is_waiting_for_row, "the transfer waits for the closing")
    credit.join()
    assert credit.outcome == CLOSED
    assert closing.outcome.closed_at is not None
    assert (balance_of(wallet.owner_id, "KES"), balance_of(wallet.organisation.id, "KES")) == (
        0,
        100,
    )
    assert_books_hold()


def test_a_member_is_not_closed_while_a_transfer_to_it_is_on_its_way():
    wallet = member_wallet(100)
    transfer(wallet, 10, payee=wallet.member_id)
    transfer(wallet, 10, payer=wallet.member_id)
    call = partial(transfer, wallet, 50, payee=wallet.member_id)
    written = ("INSERT", "wallets_wallettransfer", "true")
    with paused(call, *written), pytest.raises(DomainError, match=MOVING):
        close(wallet)
    with pytest.raises(DomainError, match=EMPTY):
        close(wallet)
    assert not Account.objects.filter(closed=True).exists()
    assert_books_hold()


def test_a_payment_into_the_account_of_a_member_that_is_being_closed_is_unmatched():
    wallet = member_wallet()
    account = make_virtual_account(Owner(wallet.organisation, wallet.member))
    payment = Attempt(partial(arrive, transaction_record(account.reference)))
    with paused(partial(close, wallet), *CLOSING) as closing:
        payment.start()
        wait_until(is_waiting_for_row, "the payment waits for the closing")
    payment.join()
    assert closing.outcome.closed_at is not None
    assert payment.outcome.status == "Unmatched"
    assert Payment.objects.get().deposit is None
    assert balance_of(wallet.owner_id, "NGN") == 0
    assert_books_hold()


def test_a_member_is_not_closed_while_a_payment_to_it_is_credited():
    wallet = member_wallet()
    account = make_virtual_account(Owner(wallet.organisation, wallet.member))
    call = partial(arrive, transaction_record(account.reference))
    posted = ("INSERT", "wallets_entry", "NEW.amount > 0")
    with paused(call, *posted), pytest.raises(DomainError, match=MOVING):
        close(wallet)
    with pytest.raises(DomainError, match="This member still has 1000 NGN"):
        close(wallet)
    assert_books_hold()


def test_an_order_of_a_member_that_is_emptied_and_closed_meanwhile_is_refused():
    """It was checked with money, which leaves before the order is written."""
    wallet = member_wallet(100)
    trader = Trader(wallet)
    token = make_token(currency="KES")
    transfer(wallet, 100, payee=wallet.member_id)
    # The wallet has a reserve account, so nothing has to be opened.
    trader.cancel(trader.place(token, "Buy", 90, 1))
    call = partial(trader.place, token, "Buy", 90, 1)
    with paused(call, "INSERT", "orders_order", "true") as order:
        transfer(wallet, 100, payer=wallet.member_id)
        assert close(wallet).closed_at is not None
    assert order.outcome == CLOSED
    assert balance_of(wallet.owner_id, "KES", "reserved") == 0
    assert_books_hold()


def test_a_storm_leaves_nothing_with_closed_members():
    """Transfers in and out, payments, orders, closings and a reopening of six members at once."""
    organisation = make_wallet(10_000).organisation
    token = make_token(currency="KES")
    wallets = [Wallet(organisation, make_member(organisation)) for _ in range(6)]
    with Callers(9) as callers:
        for wallet in wallets:
            member = wallet.member_id
            account = make_virtual_account(Owner(organisation, wallet.member), "NGN")
            transfer(wallet, 100, payee=member)
            trader = Trader(wallet)
            outcomes = callers.at_once(
                [
                    partial(close, wallet),
                    partial(transfer, wallet, 100, payer=member),
                    partial(close, wallet),
                    partial(trader.place, token, "Buy", 90, 1),
                    partial(transfer, wallet, 5, payee=member),
                    partial(arrive, transaction_record(account.reference)),
                    partial(transfer, wallet, 5, payer=member),
                    partial(reopen, wallet),
                    partial(close, wallet),
                ]
            )
            failures = [each for each in outcomes if isinstance(each, Exception)]
            assert all(isinstance(each, DomainError) for each in failures), failures
    closed = Member.objects.filter(closed_at__isnull=False).values("id")
    left = Account.objects.filter(member_id__in=closed).exclude(balance=0)
    assert list(left) == []
    # Accounts are closed and opened with their member.
    assert not Account.objects.filter(closed=False, member__in=closed).exists()
    assert not Account.objects.filter(closed=True).exclude(member__in=closed).exists()
    assert_books_hold()
