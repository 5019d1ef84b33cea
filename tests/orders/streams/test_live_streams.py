"""Followers of a running stream process while orders run: their books equal the API's, every time.

Connections are cut, read slowly, and the process is killed. Each state that a follower had and that
the API showed under the same number is compared.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
import requests
from django.db import connections

from exchange.core.errors import DomainError
from exchange.participants.services.api_keys import revoke_api_key
from exchange.tokens.models import Token
from orders.book.models import Trade
from orders.book.selectors import read_book
from tests.environment.concurrency import race_size
from tests.environment.processes import Program, wait_until
from tests.environment.services import ServiceStack
from tests.factories.api_clients import TESTER, ApiCaller, make_caller
from tests.factories.tokens import give_units
from tests.factories.traders import Trader, make_trader
from tests.orders.streams.follower import Follower, Levels, events_of, levels_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

SECONDS = race_size("STREAM_SECONDS", 6)
WRITERS = 4
log = logging.getLogger(__name__)


class Stream:
    """A client in a thread of its own: connects again whenever its connection ends."""

    def __init__(self, url: str, caller: ApiCaller, tokens: list[Token], pause: float = 0) -> None:
        self.follower = Follower()
        self.errors: list[Exception] = []
        self.connections = 0
        self._url, self._caller, self._pause = url, caller, pause
        kinds = ("book", "trades", "ticker")
        self._channels = ",".join(f"{kind}:{token.id}" for token in tokens for kind in kinds)
        self._response: requests.Response | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Cut the connection in the middle of whatever comes."""
        if self._response is not None and self._response.raw.connection is not None:
            with suppress(OSError, AttributeError):
                self._response.raw.connection.sock.shutdown(2)

    def stop(self) -> None:
        self._stopped.set()
        self.cut()
        self._thread.join(20)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._connect()
            except requests.RequestException:
                time.sleep(0.05)
            except Exception as error:  # noqa: BLE001 - the test looks at them
                self.errors.append(error)
                return

    def _connect(self) -> None:
        headers = dict(self._caller.headers)
        if self.follower.last_id:
            headers["Last-Event-ID"] = self.follower.last_id
        with requests.get(
            self._url, {"channels": self._channels}, headers=headers, stream=True, timeout=40
        ) as response:
            response.raise_for_status()
            self._response, self.connections = response, self.connections + 1
            lines = response.iter_lines(chunk_size=1024, decode_unicode=True)
            for event in events_of(lines):
                self.follower.take(*event)
                if self._stopped.wait(self._pause) if self._pause else self._stopped.is_set():
                    return


@pytest.fixture
def streams(transactional_db: None, service_stack: ServiceStack) -> Iterator[tuple[Program, str]]:
    program, url = service_stack.streams()
    program.start()
    yield program, url
    program.stop()


@pytest.fixture
def market() -> tuple[list[Token], list[Trader]]:
    traders = [make_trader(1_000_000) for _ in range(WRITERS)]
    tokens = [traders[0].issue(total_supply=Decimal(1_000_000)) for _ in range(2)]
    for token in tokens:
        for trader in traders[1:]:
            give_units(token, trader.wallet, 10_000)
    return tokens, traders


def write_until(stopped: threading.Event, tokens: list[Token], trader: Trader, seed: int) -> int:
    """Place, amend and cancel at random; return how many requests were accepted."""
    random, accepted = Random(seed), 0
    placed: list[UUID] = []
    while not stopped.is_set():
        side, price = random.choice(["Buy", "Sell"]), Decimal(random.randint(80, 120))
        with suppress(DomainError):
            if placed and random.random() < 0.4:
                order = placed.pop(random.randrange(len(placed)))
                if random.random() < 0.5:
                    trader.cancel(order)
                else:
                    trader.amend(order, price=price)
            else:
                token = random.choice(tokens)
                placed.append(trader.place(token, side, price, random.randint(1, 5)))
            accepted += 1
    connections.close_all()
    return accepted


def look_until(
    stopped: threading.Event, tokens: list[Token]
) -> dict[tuple[str, int], tuple[Levels, Levels]]:
    """Read the books again and again; return each state by token and number."""
    seen = {}
    while not stopped.is_set():
        for token in tokens:
            book = read_book(token.id, 200)
            seen[str(token.id), book["seq"]] = levels_of(book)
    connections.close_all()
    return seen


def has_arrived(stream: Stream, tokens: list[Token]) -> bool:
    books = stream.follower.books
    return bool(stream.errors) or all(
        str(token.id) in books and books[str(token.id)].seq == read_book(token.id, 200)["seq"]
        for token in tokens
    )


def follow_while(
    url: str, tokens: list[Token], traders: list[Trader], disturb: Callable[[list[Stream]], None]
) -> list[Stream]:
    """Run orders and followers, `disturb` them, and compare all states; return the streams."""
    caller = make_caller()
    followers = [Stream(url, caller, tokens) for _ in range(4)]
    followers.append(Stream(url, caller, tokens, pause=0.2))
    stopped = threading.Event()
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        writers = [
            pool.submit(write_until, stopped, tokens, trader, seed)
            for seed, trader in enumerate(traders)
        ]
        looking = pool.submit(look_until, stopped, tokens)
        disturb(followers)
        stopped.set()
    accepted, seen = sum(writer.result() for writer in writers), looking.result()
    for each in followers:
        wait_until(partial(has_arrived, each, tokens), "all followers have the last state")
        each.stop()
        assert each.errors == []
    compared = 0
    for each in followers:
        for token, book in each.follower.books.items():
            for seq, state in book.states.items():
                if (token, seq) in seen:
                    compared += 1
                    assert state == seen[token, seq], (token, seq)
        last = {str(token.id): levels_of(read_book(token.id, 200)) for token in tokens}
        assert {t: (b.bids, b.asks) for t, b in each.follower.books.items()} == last
    log.info(
        "%.0f requests a second; %d states compared of %d",
        *(accepted / SECONDS, compared),
        sum(len(book.states) for each in followers for book in each.follower.books.values()),
    )
    assert compared > 0
    return followers


@pytest.mark.timeout(300)
def test_followers_have_the_book_while_connections_are_cut(streams, market):
    tokens, traders = market

    def disturb(followers: list[Stream]) -> None:
        for number in range(SECONDS * 2):
            time.sleep(0.5)
            followers[number % 3].cut()

    followers = follow_while(streams[1], tokens, traders, disturb)
    assert all(each.connections > 1 for each in followers[:3])
    undisturbed = followers[3].follower
    assert followers[3].connections == 1
    assert "reset" not in undisturbed.names
    # Each trade once, in order.
    trades = Trade.objects.filter(token=tokens[0]).order_by("seq").values_list("id", flat=True)
    known = {str(trade) for trade in trades}
    assert [t for t in undisturbed.trades if t in known] == [str(trade) for trade in trades]


@pytest.mark.timeout(300)
def test_followers_have_the_book_after_their_process_was_killed(streams, market):
    tokens, traders = market
    program, url = streams

    def disturb(_followers: list[Stream]) -> None:
        for _ in range(2):
            time.sleep(SECONDS / 2)
            program.kill()
            program.start()

    followers = follow_while(url, tokens, traders, disturb)
    assert all("reset" in each.follower.names for each in followers)


@pytest.mark.timeout(200)
def test_readers_have_no_threads_or_connections_of_their_own(streams, market):
    tokens, _ = market
    program, url = streams
    followers = [Stream(url, make_caller(), tokens) for _ in range(40)]
    for each in followers:
        wait_until(partial(has_arrived, each, tokens), "the stream runs")
    children = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
    threads = [len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in children]
    assert max(threads) < 40, threads
    for each in followers:
        each.stop()
        assert each.errors == []


@pytest.mark.timeout(200)
def test_a_revoked_key_ends_its_streams(streams, market):
    tokens, _ = market
    caller: Any = make_caller()
    stream = Stream(streams[1], caller, tokens)
    wait_until(partial(has_arrived, stream, tokens), "the stream runs")
    revoke_api_key(key_id=caller.key.id, actor=TESTER)
    wait_until(lambda: "end" in stream.follower.names, "the stream ends", 60)
    stream.stop()


def test_other_paths_are_answered_as_unknown(streams):
    _, url = streams
    server = url.removesuffix("/v1/stream")
    for path in ("/v1/stream/", "/v1/orders", "/admin/", "/"):
        response = requests.get(f"{server}{path}", timeout=10)
        assert response.status_code == 404, path
        assert response.json() == {
            "status": "failed",
            "message": "There is nothing at this address",
        }, path
        assert response.headers["X-Error-Code"] == "not_found", path


def test_a_body_is_not_kept(streams):
    """No request has one. Django would write it to a file."""
    program, url = streams
    [worker] = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
    written = bytes_written(worker)
    for path in (url, url.removesuffix("/v1/stream") + "/v1/orders"):
        response = requests.post(path, data=b"x" * 50_000_000, timeout=30)
        assert response.status_code == 413, response.text
    assert bytes_written(worker) - written < 1_000_000


def bytes_written(process: str) -> int:
    """Return what a process has written so far, in bytes."""
    lines = Path(f"/proc/{process}/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])
