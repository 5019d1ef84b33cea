"""Orders of many threads that go as sets: what breaks in the middle of one, and sets of several
processes on the same books.
"""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

import psycopg
import pytest
from django.db import OperationalError

from exchange.errors import Refused
from exchange.idempotency import Answer, IdempotencyClaim
from exchange.models import Event, Token
from orders.models import Order, Trade
from orders.services import placing
from tests.orders import reference
from tests.orders.test_deadlocks import deadlocks
from tests.races.test_trading_races import CENT, assert_nothing_was_lost, make_market, replayed
from tests.support.access import make_caller
from tests.support.crowd import Call, Crowd, size, storm
from tests.support.database import session
from tests.support.gathering import Gather, gathering
from tests.support.market import Trader, make_trader
from tests.support.pausing import Pause
from tests.support.processes import wait_until
from tests.support.services import Service
from tests.support.world import Wallet, assert_books_hold, know_banks
from wallets.models import Entry, Transfer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

THREADS = 16


@pytest.fixture
def gather(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gather]:
    with gathering(placing._together, THREADS, monkeypatch) as gather:
        yield gather


@pytest.fixture
def market() -> tuple[Token, Trader]:
    """A token and somebody with money and every account that buying it takes."""
    buyer = make_trader(10_000)
    token = make_trader().issue()
    buyer.cancel(buyer.place(token, "Buy", 1, 1))
    return token, buyer


def ask(market: tuple[Token, Trader], key: str, price: int = 10) -> partial[Answer]:
    """A call for five units under `key`."""
    token, buyer = market
    claim = IdempotencyClaim(buyer.wallet.organisation.id, "POST", "/v1/orders", key, "body")
    return partial(buyer.ask, token, "Buy", price, 5, claim=claim)


def effects() -> int:
    """How many orders took effect, each with all that belongs to it, besides the market's own."""
    made = Order.objects.filter(status="Active").count()
    assert Transfer.objects.filter(kind="order_reserve").count() == made + 1
    assert Entry.objects.filter(transfer__kind="order_reserve").count() == 2 * made + 2
    assert Event.objects.filter(type="order.created").count() == made + 1
    return made


def test_orders_that_are_under_way_together_are_one_transaction(gather, market):
    answers = gather(*(ask(market, key) for key in "abcdef"))
    assert gather.sets == [6]
    assert [answer.replayed for answer in answers] == [False] * 6
    reserved = Transfer.objects.filter(kind="order_reserve").values_list("created_txid", flat=True)
    assert sorted(Counter(reserved).values()) == [1, 6]
    again = gather(*(ask(market, key) for key in "abcdef"))
    assert [(a.data, a.replayed) for a in again] == [(a.data, True) for a in answers]
    assert effects() == 6
    assert_books_hold()


def test_one_that_is_refused_harms_no_other(gather, market):
    token, buyer = market
    dear = partial(buyer.ask, token, "Buy", 10, 10**6)
    stranger = make_trader(100)
    opens = partial(stranger.ask, token, "Buy", 10, 1)
    *good, refused = gather(*(ask(market, key) for key in "abc"), opens, dear)
    assert gather.sets == [5]
    assert [type(answer) for answer in good] == [Answer] * 4
    assert isinstance(refused, Refused)
    assert (refused.code, stranger.has("KES", "reserved")) == ("insufficient_balance", 10)
    assert_books_hold()


def test_a_book_that_is_locked_for_long_holds_up_its_own_orders_only(gather, market):
    token, buyer = market
    other = make_trader().issue()
    buyer.cancel(buyer.place(other, "Buy", 1, 1))
    held = partial(buyer.ask, other, "Buy", 10, 1)
    with session("owner") as elsewhere, ThreadPoolExecutor(1) as pool:
        elsewhere.execute("SELECT FROM exchange_token WHERE id = %s FOR UPDATE", [other.id])
        answers = pool.submit(gather, ask(market, "a"), held, ask(market, "b"))
        active = Order.objects.filter(token=token, status="Active")
        wait_until(lambda: active.count() == 2, "the others are placed")
        assert not answers.done()
        elsewhere.rollback()
        assert [type(answer) for answer in answers.result()] == [Answer] * 3
    assert Order.objects.filter(token=other, status="Active").count() == 1
    assert_books_hold()


def test_a_set_whose_connection_breaks_fails_for_all_and_is_not_tried_again(
    gather, market, owner_connection
):
    calls = [ask(market, key) for key in "abc"]
    with ThreadPoolExecutor(1) as pool:
        with Pause("INSERT", "orders_order", "true") as pause:
            answers = pool.submit(gather, *calls)
            pause.wait()
            backend = gather.leader.info.backend_pid
            # The network goes; the server finishes what it has been sent, or not.
            with socket.socket(fileno=os.dup(gather.leader.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)
            assert [type(answer) for answer in answers.result()] == [OperationalError] * 3
            pause.release()
        wait_until(lambda: not lives(owner_connection, backend), "the server has seen it")
    made = effects()
    assert made in {0, 3}
    again = [call() for call in calls]
    assert [answer.replayed for answer in again] == [made == 3] * 3
    assert effects() == 3
    assert_books_hold()


def lives(owner: psycopg.Connection[Any], backend: int) -> bool:
    found = owner.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [backend])
    return found.fetchone() is not None


def test_what_the_ledger_refuses_at_the_end_is_asked_for_again_one_by_one(gather, market):
    """Money that goes between the look and the posting: the set is undone, nobody overdraws."""
    token, buyer = market
    know_banks()
    with ThreadPoolExecutor(1) as pool, Pause("INSERT", "orders_order", "true") as pause:
        answers = pool.submit(
            gather, *(partial(buyer.ask, token, "Buy", 1000, 3) for _ in range(3))
        )
        pause.wait()
        buyer.wallet.request(4000)
        pause.release()
        found = answers.result()
    assert Counter(type(each) for each in found) == {Answer: 2, Refused: 1}
    assert gather.sets == [3]
    assert (buyer.has("KES"), buyer.has("KES", "reserved")) == (0, 6000)
    assert_books_hold()


def test_orders_that_clients_send_at_once_over_http_meet(live_service: Service):
    caller = make_caller()
    buyer = Trader(Wallet(caller.organisation).fund(10_000))
    token = make_trader().issue()
    buyer.cancel(buyer.place(token, "Buy", 1, 1))
    body = {"token_id": str(token.id), "type": "Buy", "price": 10, "tokens": 1}
    calls = [Call("/v1/orders", json.dumps(body), caller.headers) for _ in range(200)]
    replies = storm(live_service.base_url, calls, THREADS)
    assert Counter(reply.status for reply in replies) == {201: 200}
    assert len({reply.json["data"]["_id"] for reply in replies}) == 200
    reserved = Transfer.objects.filter(kind="order_reserve").values_list("created_txid", flat=True)
    assert max(Counter(reserved).values()) > 1
    assert effects() == 200
    assert_books_hold()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("books", [1, 5])
def test_sets_of_several_processes_on_the_same_books_do_not_deadlock(books):
    """Threads that call the set's function past the combiner stand for processes."""
    tokens, traders = make_market(books, 8, buy_fee=Decimal("1.5"), sell_fee=Decimal("0.75"))
    rounds, before = size("ORDER_SETS", 15), deadlocks()

    def trade(seed: int) -> Counter[str]:
        random, outcomes = Random(seed), Counter[str]()
        for _ in range(rounds):
            orders: list[tuple[Any, ...]] = [
                (
                    random.choice(traders),
                    random.choice(tokens),
                    random.choice(["Buy", "Sell"]),
                    CENT * random.randint(95, 105),
                    Decimal(random.randint(1, 30 * 10**8)) / 10**8,
                )
                for _ in range(random.randint(2, 9))
            ]
            answers = placing._call_for_many([trader.form(*order) for trader, *order in orders])
            outcomes["together"] += sum(answer is not None for answer in answers)
            for (trader, *order), answer in zip(orders, answers, strict=True):
                if answer is None:
                    outcomes[alone(partial(trader.ask, *order))] += 1
        return outcomes

    with Crowd(THREADS) as crowd, reference.exactly():
        results = crowd.at_once([partial(trade, seed) for seed in range(THREADS)])
    assert [r for r in results if not isinstance(r, Counter)] == []
    outcomes = sum(results, Counter[str]())
    assert outcomes["together"] > outcomes["alone"], outcomes
    assert outcomes["together"] + outcomes["alone"] == Order.objects.count()
    assert deadlocks() == before
    assert_nothing_was_lost(tokens, traders)
    if books == 1:
        with reference.exactly():
            market = replayed(tokens[0], traders)
            found = Trade.objects.order_by("seq")
            columns = ("price", "tokens", "buyer_value", "buyer_fee", "seller_value", "seller_fee")
            assert list(found.values_list(*columns)) == [
                (t.price, t.units, t.buyer_value, t.buyer_fee, t.seller_value, t.seller_fee)
                for t in market.trades
            ]


def alone(call: Callable[[], Answer]) -> str:
    try:
        call()
    except Refused as refused:
        return refused.code
    return "alone"
