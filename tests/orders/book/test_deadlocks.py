"""An external session deadlocks with an order: the order still completes, exactly once.

The database rolls back the transaction that closes the cycle. Here that is always the order's: the
other session asks first, with a deadlock timeout of a minute.
"""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connection, connections, transaction

from exchange.core.errors import Rejected
from exchange.events.models import Event
from exchange.tokens.models import Token
from orders.book.models import Order, Trade
from orders.listings.services.lifecycle import close_token
from tests.assertions.ledger import account_id_of
from tests.environment.database import session
from tests.environment.processes import wait_until
from tests.environment.write_pause import WritePause
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.ledger.models import Entry, Transfer

pytestmark = pytest.mark.django_db(transaction=True)

_LOCK_TOKEN = "SELECT FROM exchange_token WHERE id = %s FOR UPDATE"
_LOCK_ACCOUNT = "SELECT FROM wallets_account WHERE id = %s FOR UPDATE"
_LOCK_ORDER = "SELECT FROM orders_order WHERE id = %s FOR UPDATE"


def deadlocks() -> int:
    with session("owner") as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        row = connection.execute(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return int(row[0])


def waits(process: int) -> bool:
    with session("owner") as connection:
        row = connection.execute("SELECT pg_blocking_pids(%s) <> '{}'", [process]).fetchone()
    assert row is not None
    return bool(row[0])


def others_wait_for(holder: psycopg.Connection[Any]) -> bool:
    """Whether another session waits for a lock of that connection."""
    with session("owner") as look:
        row = look.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))",
            [holder.info.backend_pid],
        ).fetchone()
    assert row is not None
    return bool(row[0])


@contextlib.contextmanager
def holding(account: UUID) -> Iterator[psycopg.Connection[Any]]:
    with session("owner") as other:
        other.execute("SET deadlock_timeout = '1min'")
        other.execute(_LOCK_ACCOUNT, [account])
        yield other


def ask_for_token(
    pool: ThreadPoolExecutor, other: psycopg.Connection[Any], token: Token
) -> Future[None]:
    """Request the token lock that the order holds, and commit once granted."""

    def ask() -> None:
        other.execute(_LOCK_TOKEN, [token.id])
        other.commit()

    asked = pool.submit(ask)
    wait_until(lambda: waits(other.info.backend_pid), "the other waits for the token")
    return asked


def place_behind(
    pool: ThreadPoolExecutor, trader: Trader, token: Token, price: int, tokens: int
) -> Future[UUID]:
    """Place an order that waits for the transaction of this thread."""
    placed = pool.submit(closing(lambda: trader.place(token, "Buy", price, tokens)))
    wait_until(lambda: others_wait_for(connection.connection), "the order waits")
    return placed


def closing(call: Callable[[], Any]) -> Callable[[], Any]:
    """Run in a thread whose connection is closed afterwards."""

    def run() -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    return run


@pytest.fixture
def trader() -> Trader:
    return make_trader(10_000)


@pytest.fixture
def token() -> Token:
    return make_trader().issue()


@pytest.mark.slow
def test_an_order_that_a_deadlock_undoes_is_placed_again(trader, token):
    before = deadlocks()
    with (
        ThreadPoolExecutor(2) as pool,
        holding(account_id_of(trader.wallet)) as other,
        # The first order opens an account: after it has the token, before it locks accounts.
        WritePause("INSERT", "wallets_account", "true") as pause,
    ):
        placed = pool.submit(closing(lambda: trader.place(token, "Buy", 10, 5)))
        pause.wait()
        asked = ask_for_token(pool, other, token)
        pause.release()
        order = Order.objects.get(id=placed.result(30))
        asked.result(30)
    wait_until(lambda: deadlocks() > before, "the deadlock is counted")
    assert order.status == "Active"
    assert Order.objects.count() == 1
    assert trader.balance("KES", "reserved") == order.reserved
    assert_books_hold()


@pytest.mark.parametrize("nested", [False, True], ids=["alone", "in a transaction"])
@pytest.mark.one_in(2)
def test_a_cancellation_that_a_deadlock_undoes_is_done_again(trader, token, nested):
    order = trader.place(token, "Buy", 10, 5)
    before = deadlocks()

    def cancel() -> None:
        with transaction.atomic() if nested else contextlib.nullcontext():
            trader.cancel(order)

    with (
        ThreadPoolExecutor(2) as pool,
        holding(account_id_of(trader.wallet)) as other,
        session("owner") as reader,
    ):
        # Cancelling holds the token and waits for the order, until the other asks for the token.
        reader.execute(_LOCK_ORDER, [order])
        cancelled = pool.submit(closing(cancel))
        wait_until(lambda: others_wait_for(reader), "the cancellation waits for the order")
        asked = ask_for_token(pool, other, token)
        reader.commit()
        cancelled.result(30)
        asked.result(30)
    wait_until(lambda: deadlocks() > before, "the deadlock is counted")
    assert Order.objects.get(id=order).status == "Cancelled"
    assert Transfer.objects.filter(kind="order_release").count() == 1
    assert trader.balance("KES") == 10_000
    assert_books_hold()


def test_closing_a_token_locks_all_accounts_first(trader, token):
    """In the common lock order, whichever order was placed first."""
    other, officer = make_trader(10_000), make_staff("end_token")
    last, first = sorted((trader, other), key=lambda each: account_id_of(each.wallet), reverse=True)
    placed = [last.place(token, "Buy", 10, 5), first.place(token, "Buy", 10, 5)]
    with ThreadPoolExecutor(1) as pool, holding(account_id_of(first.wallet)) as holder:
        ended = pool.submit(closing(lambda: close_token(token_id=token.id, user=officer)))
        wait_until(lambda: others_wait_for(holder), "the decision waits for the account")
        with session("owner") as look:
            rows = look.execute("SELECT id FROM orders_order FOR UPDATE SKIP LOCKED").fetchall()
        holder.commit()
        ended.result(30)
    assert sorted(row[0] for row in rows) == sorted(placed)
    assert not Order.objects.filter(status="Active").exists()


def test_money_spent_after_the_check_is_reported_as_the_remaining_balance(trader, token):
    other = make_trader().issue()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = trader.place(other, "Buy", 100, 90)
            placed = place_behind(pool, trader, token, 100, 50)
        with pytest.raises(Rejected) as refused:
            placed.result(30)
    left = trader.balance("KES")
    assert 0 < left < 5_000
    assert refused.value.code == "insufficient_balance"
    assert f"Available: {left:f}".rstrip("0").rstrip(".") in str(refused.value)
    assert list(Order.objects.values_list("id", flat=True)) == [first]
    assert_books_hold()


def test_a_waiting_order_sees_what_earlier_orders_committed(trader):
    """Also if the final cost would be affordable but the requested amount is not."""
    seller = make_trader()
    token = seller.issue()
    seller.place(token, "Sell", 50, 15)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = trader.place(token, "Buy", 40, 225)
            placed = place_behind(pool, trader, token, 100, 15)
        with pytest.raises(Rejected) as refused:
            placed.result(30)
    assert str(refused.value).endswith("Available: 1000, requested: 1500"), refused.value
    assert Order.objects.get(owner_id=trader.owner_id).id == first
    assert trader.balance("KES") == 1_000
    assert_books_hold()


def test_ids_follow_the_order_of_the_token_lock(trader):
    seller = make_trader()
    token = seller.issue()
    seller.place(token, "Sell", 50, 5)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            trader.place(token, "Buy", 10, 1)
            placed = place_behind(pool, trader, token, 50, 1)
            # Made while the other waits, and a long time after it began.
            before = trader.place(token, "Buy", 20, 1)
        last = placed.result(30)
    trade = Trade.objects.get(buy_order_id=last)
    assert max(ids_about(before)) < min(ids_about(last) | ids_about(trade.id) | {trade.id})


def ids_about(subject: UUID) -> set[UUID]:
    """Return ids of events and ledger entries about an order or trade."""
    events = Event.objects.filter(subject_id=subject)
    entries = Entry.objects.filter(transfer__subject_id=subject)
    return {*events.values_list("id", flat=True), *entries.values_list("id", flat=True)}
