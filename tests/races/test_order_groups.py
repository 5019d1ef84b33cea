"""Orders for one token that arrive together at a process share a transaction."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import psycopg
import pytest
from django.db import connections, transaction

from exchange.core.errors import Rejected
from exchange.core.idempotency import IdempotencyClaim, StoredResponse
from exchange.tokens.models import Token
from orders.book import services as placing
from orders.book.models import Order
from tests.environment.database import session
from tests.environment.processes import wait_until
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import assert_books_hold
from wallets.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)

Ask = Callable[[], StoredResponse]


def buy(trader: Trader, token: Token, units: int = 1, key: str | None = None) -> Ask:
    """Return a call that places an order of `units` at 10 in its own thread."""
    claim = None
    if key is not None:
        claim = IdempotencyClaim(trader.wallet.organisation.id, "POST", "/v1/orders", key, "body")

    def ask() -> StoredResponse:
        try:
            return trader.submit_order(token, "Buy", 10, units, claim=claim)
        finally:
            connections.close_all()

    return ask


def gather(
    pool: ThreadPoolExecutor, token: Token, asks: Sequence[Ask]
) -> list[Future[StoredResponse]]:
    """Let the first wait for the token and all others for the first; then release them."""
    with session("owner") as elsewhere:
        elsewhere.execute("SELECT FROM exchange_token WHERE id = %s FOR UPDATE", [token.id])
        made = [pool.submit(asks[0])]
        wait_until(lambda: token.id in placing._batchers, "the first order is being placed")
        book = placing._batchers[token.id]
        wait_until(lambda: book._busy, "the first order is being placed")
        for number, ask in enumerate(asks[1:], start=1):
            made.append(pool.submit(ask))
            wait_until(partial(_has_waiting, book, number), "the order waits for the first")
        elsewhere.rollback()
    return made


def _has_waiting(book: object, number: int) -> bool:
    return len(book._waiting) == number  # type: ignore[attr-defined]


def transactions(token: Token) -> list[int]:
    """Return the transaction of each order, in order of placement."""
    orders = Order.objects.filter(token=token).order_by("seq").values_list("id", flat=True)
    made = dict(
        Transfer.objects.filter(kind="order_reserve").values_list("subject_id", "created_txid")
    )
    return [made[order] for order in orders]


def test_waiting_orders_share_a_transaction_in_order_of_arrival():
    traders = [make_trader(1000) for _ in range(5)]
    token = make_trader().issue()
    with ThreadPoolExecutor(5) as pool:
        responses = gather(pool, token, [buy(trader, token) for trader in traders])
        assert [response.result(30).status_code for response in responses] == [201] * 5
    first, *together = transactions(token)
    assert len(set(together)) == 1
    assert first not in together
    owners = Order.objects.filter(token=token).order_by("seq").values_list("owner_id", flat=True)
    assert list(owners) == [trader.wallet.owner_id for trader in traders]
    assert_books_hold()


def test_a_rejected_order_leaves_the_others():
    rich, poor, token = make_trader(1000), make_trader(5), make_trader().issue()
    asks = [buy(rich, token), buy(rich, token), buy(poor, token), buy(rich, token)]
    with ThreadPoolExecutor(4) as pool:
        first, second, refused, last = gather(pool, token, asks)
        with pytest.raises(Rejected) as refusal:
            refused.result(30)
        assert refusal.value.code == "insufficient_balance"
        assert {made.result(30).status_code for made in (first, second, last)} == {201}
    assert poor.balance("KES") == 5
    assert Order.objects.filter(token=token).count() == 3
    assert_books_hold()


def test_a_repeated_key_in_a_batch_takes_effect_once():
    trader, token = make_trader(1000), make_trader().issue()
    asks = [buy(trader, token), *[buy(trader, token, key="again") for _ in range(3)]]
    with ThreadPoolExecutor(4) as pool:
        _, *same = [made.result(30) for made in gather(pool, token, asks)]
    assert sorted(response.replayed for response in same) == [False, True, True]
    assert len({response.data for response in same}) == 1
    assert Order.objects.filter(token=token).count() == 2
    assert_books_hold()


def test_a_batch_locks_accounts_in_id_order():
    """So batches of several processes never deadlock."""
    traders, token = [make_trader(1000) for _ in range(4)], make_trader().issue()
    owners = [trader.wallet.owner_id for trader in traders]
    accounts = Account.objects.filter(owner_id__in=owners, asset_id="KES", kind="available")
    # The first order goes alone; of the group's accounts the last in order is locked elsewhere.
    *_, held = accounts.exclude(owner_id=owners[0]).order_by("id")
    with ThreadPoolExecutor(4) as pool, session("owner") as elsewhere:
        elsewhere.execute("SELECT FROM wallets_account WHERE id = %s FOR UPDATE", [held.id])
        made = gather(pool, token, [buy(trader, token) for trader in traders])
        assert made[0].result(30).status_code == 201
        wait_until(lambda: _waits_for_a_row(elsewhere), "the group waits for the account")
        assert not any(one.done() for one in made[1:])
        elsewhere.rollback()
        assert {one.result(30).status_code for one in made} == {201}
    assert len(set(transactions(token)[1:])) == 1
    assert_books_hold()


def _waits_for_a_row(elsewhere: psycopg.Connection) -> bool:
    """Whether a session waits for a transaction of ours, as for a locked row."""
    row = elsewhere.execute(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted"
        " AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
    ).fetchone()
    assert row is not None
    return bool(row[0])


def test_an_owner_spends_nothing_twice_within_a_batch():
    """The second is checked before the first has moved anything: the posting rejects the batch."""
    spender, rich, token = make_trader(15), make_trader(1000), make_trader().issue()
    asks = [buy(rich, token), buy(spender, token), buy(spender, token), buy(rich, token)]
    with ThreadPoolExecutor(4) as pool:
        first, *spent, last = gather(pool, token, asks)
        assert {first.result(30).status_code, last.result(30).status_code} == {201}
        failed = [one.exception(30) for one in spent]
    [refusal] = [error for error in failed if error is not None]
    assert isinstance(refusal, Rejected)
    assert refusal.code == "insufficient_balance"
    assert spender.balance("KES") == 5
    assert_books_hold()


def test_a_locked_book_blocks_only_its_own_orders():
    buyer = make_trader(10_000)
    held, free = make_trader().issue(), make_trader().issue()
    with ThreadPoolExecutor(4) as pool:
        with session("owner") as elsewhere:
            elsewhere.execute("SELECT FROM exchange_token WHERE id = %s FOR UPDATE", [held.id])
            waiting = [pool.submit(buy(buyer, held)) for _ in range(3)]
            assert pool.submit(buy(buyer, free)).result(30).status_code == 201
            assert not any(each.done() for each in waiting)
            assert not Order.objects.filter(token=held).exists()
            elsewhere.rollback()
        assert [each.result(30).status_code for each in waiting] == [201] * 3
    assert_books_hold()


def test_an_order_inside_a_transaction_is_not_batched():
    """It may hold the lock that the thread before it waits for."""
    buyer, token = make_trader(10_000), make_trader().issue()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            buyer.place(token, "Buy", 10, 1)
            other = pool.submit(buy(buyer, token))
            wait_until(lambda: token.id in placing._batchers, "the other one is being placed")
            buyer.place(token, "Buy", 10, 1)
        assert other.result(30).status_code == 201
    assert Order.objects.filter(token=token).count() == 3
    assert_books_hold()
