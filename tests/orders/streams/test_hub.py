"""The hub of a stream process, on a real book: what its readers get, and when they start again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError
from django.utils import timezone
from prometheus_client import REGISTRY

from exchange.tokens.models import Token
from orders.book.models import Trade
from orders.book.selectors import Book, read_book
from orders.streams import hub as streams
from orders.streams.channels import read_channels
from orders.streams.hub import Hub, Reader
from orders.streams.reading import Position, read_changes
from tests.environment.event_loops import run_apart
from tests.factories.tokens import give_units
from tests.factories.traders import Trader, make_trader
from tests.orders.streams.follower import Follower, events_of, levels_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(streams, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(streams, "_AFTER_FAILURE_SECONDS", 0.01)


@pytest.fixture
def seller() -> Trader:
    return make_trader(10_000)


@pytest.fixture
def buyer() -> Trader:
    return make_trader(10_000)


@pytest.fixture
def token(seller: Trader, buyer: Trader) -> Token:
    token = seller.issue(total_supply=Decimal(1000))
    give_units(token, buyer.wallet, 10)
    seller.place(token, "Sell", 101, 5)
    return token


def reader_of(token: Token, resume: str = "", **more: Any) -> Reader:
    channels = read_channels(
        ",".join(f"{kind}:{token.id}" for kind in ("book", "trades", "ticker"))
    )
    values: dict[str, Any] = {
        "organisation": UUID(int=1),
        "channels": frozenset(channels),
        "may_read": lambda: True,
        "resume": resume,
    }
    return Reader(**values | more)


class Connection:
    """A reader's connection, and what its client made of it."""

    def __init__(self, hub: Hub, reader: Reader) -> None:
        self.follower = Follower()
        self.stream: AsyncIterator[bytes] = hub.follow(reader)
        self.texts: list[bytes] = []

    async def until(self, reached: Callable[[Follower], bool]) -> Follower:
        """Read until the follower is where it should be."""
        async with asyncio.timeout(30):
            while not reached(self.follower):
                await self.read()
        return self.follower

    async def read(self) -> None:
        text = await anext(self.stream)
        self.texts.append(text)
        for event in events_of(iter(text.decode().split("\n"))):
            self.follower.take(*event)

    async def close(self) -> None:
        await self.stream.aclose()  # type: ignore[attr-defined]


async def in_thread(call: Callable[..., Any], *values: Any) -> Any:
    return await asyncio.to_thread(call, *values)


def has_seq(token: Token, seq: int) -> Callable[[Follower], bool]:
    return lambda follower: (
        str(token.id) in follower.books and follower.books[str(token.id)].seq == seq
    )


def measured(name: str) -> float:
    """Return the value of a metric of streams in this process."""
    value = REGISTRY.get_sample_value(f"exchange_stream_{name}")
    assert value is not None
    return value


def test_a_snapshot_is_followed_by_what_changes(token, seller, buyer):
    async def follow() -> Follower:
        connection = Connection(Hub(), reader_of(token))
        start = await in_thread(read_book, token.id, 200)
        await connection.until(has_seq(token, start["seq"]))
        waiting = await in_thread(buyer.place, token, "Buy", 100, 3)
        await connection.until(has_seq(token, start["seq"] + 1))
        await in_thread(buyer.place, token, "Buy", 101, 2)
        # The last one at its price.
        await in_thread(buyer.cancel, waiting)
        now = await in_thread(read_book, token.id, 200)
        follower = await connection.until(
            lambda f: has_seq(token, now["seq"])(f) and f.trades != []
        )
        await connection.until(lambda f: f.tickers[-1]["bid"] is None)
        assert follower.books[str(token.id)].states[now["seq"]] == levels_of(now)
        await connection.close()
        return follower

    follower = run_apart(follow())
    assert follower.names[0] == "snapshot"
    assert set(follower.names[1:]) == {"ticker", "change", "trades"}
    assert follower.trades == [str(Trade.objects.get().id)]
    assert (follower.tickers[-1]["last"], follower.tickers[-1]["bid"]) == (101, None)


def test_a_connection_that_was_cut_goes_on_where_it_was(token, buyer):
    async def follow() -> None:
        hub = Hub()
        first = Connection(hub, reader_of(token))
        kept = Connection(hub, reader_of(token))
        for each in (first, kept):
            await each.until(has_seq(token, 1))
        await first.close()
        for price in (90, 91):
            await in_thread(buyer.place, token, "Buy", price, 1)
            await kept.until(has_seq(token, price - 88))
        second = Connection(hub, reader_of(token, first.follower.last_id))
        second.follower = first.follower
        await second.until(has_seq(token, 3))
        assert first.follower.names.count("snapshot") == 1
        assert "reset" not in first.follower.names
        assert first.follower.books[str(token.id)].bids == kept.follower.books[str(token.id)].bids
        # Another process knows nothing of it.
        third = Connection(Hub(), reader_of(token, first.follower.last_id))
        await third.until(has_seq(token, 3))
        assert third.follower.names[:4].count("reset") == 3
        for each in (second, third, kept):
            await each.close()

    run_apart(follow())


def test_a_connection_that_was_cut_within_its_first_messages_starts_again(token, buyer, seller):
    other = seller.issue(total_supply=Decimal(1000))
    both = frozenset(read_channels(f"book:{token.id},book:{other.id},ticker:{token.id}"))

    async def follow() -> None:
        hub = Hub()
        kept = Connection(hub, reader_of(token))
        await kept.until(has_seq(token, 1))
        first = Connection(hub, reader_of(token, channels=both))
        # The other book is not known yet.
        await first.read()
        assert first.follower.names == ["snapshot", "ticker"]
        await in_thread(buyer.place, token, "Buy", 90, 1)
        await kept.until(has_seq(token, 2))
        lines = first.texts[0].decode().split("\n")
        ids = [line.removeprefix("id: ") for line in lines if line.startswith("id: ")]
        await first.close()
        for last_id in ids:
            second = Connection(hub, reader_of(token, last_id, channels=both))
            await second.until(has_seq(other, 0))
            await second.until(has_seq(token, 2))
            assert second.follower.names.count("reset") == 3
            # And one that was cut after its first reset.
            cut = events_of(iter(second.texts[0].decode().split("\n")))
            third = Connection(hub, reader_of(token, next(cut)[0], channels=both))
            await third.until(has_seq(token, 2))
            for each in (second, third):
                await each.close()
        await kept.close()

    run_apart(follow())


def test_an_id_that_was_never_given_starts_again_and_leaves_no_reader(token):
    async def follow() -> None:
        hub = Hub()
        first = Connection(hub, reader_of(token))
        await first.until(has_seq(token, 1))
        epoch = first.follower.last_id.partition("-")[0]
        for number in ("9" * 5000, "9" * 19, "999", "-1", "", "x"):
            second = Connection(hub, reader_of(token, f"{epoch}-{number}"))
            await second.until(has_seq(token, 1))
            assert second.follower.names.count("reset") == 3
            await second.close()
        assert len(hub.readers) == 1
        await first.close()

    run_apart(follow())


def test_what_was_not_followed_in_between_is_not_resumed(token, buyer, seller, monkeypatch):
    monkeypatch.setattr(streams, "_FORGET_SECONDS", 0)
    other = seller.issue(total_supply=Decimal(1000))

    async def follow() -> None:
        hub = Hub()
        first, kept = Connection(hub, reader_of(token)), Connection(hub, reader_of(other))
        await first.until(has_seq(token, 1))
        await kept.until(has_seq(other, 0))
        await first.close()
        # Forgotten before the next change of the other token is sent.
        await in_thread(seller.place, other, "Sell", 101, 1)
        await kept.until(has_seq(other, 1))
        await in_thread(buyer.place, token, "Buy", 90, 1)
        between = Connection(hub, reader_of(token))
        await between.until(has_seq(token, 2))
        second = Connection(hub, reader_of(token, first.follower.last_id))
        second.follower = first.follower
        await second.until(has_seq(token, 2))
        assert "reset" in first.follower.names
        for each in (second, between, kept):
            await each.close()

    run_apart(follow())


def test_trades_leave_the_24_hours_of_a_ticker_without_a_change(token, buyer, monkeypatch):
    monkeypatch.setattr(streams, "TICKER_SECONDS", 0)
    now = timezone.now

    async def follow() -> None:
        await in_thread(buyer.place, token, "Buy", 101, 1)
        connection = Connection(Hub(), reader_of(token))
        follower = await connection.until(has_seq(token, 2))
        assert follower.tickers[-1]["volume"] == 1
        monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(hours=25))
        await connection.until(lambda f: f.tickers[-1]["volume"] == 0)
        assert (follower.tickers[-1]["last"], follower.tickers[-1]["open"]) == (101, None)
        # Nothing else was sent, and the ticker once.
        await in_thread(buyer.place, token, "Buy", 90, 1)
        await connection.until(lambda f: f.tickers[-1]["bid"] is not None)
        assert follower.names == ["snapshot", "ticker", "ticker", "change", "ticker"]
        await connection.close()

    run_apart(follow())


def test_a_reader_gets_no_trades_from_before_it_came(token, buyer):
    async def follow() -> None:
        hub = Hub()
        first = Connection(hub, reader_of(token))
        await first.until(has_seq(token, 1))
        await first.close()
        await in_thread(buyer.place, token, "Buy", 101, 1)
        trade = (await in_thread(Trade.objects.get)).seq
        # The token is followed on, without a reader.
        async with asyncio.timeout(30):
            while hub._tokens[token.id].position != Position(2, trade):
                await asyncio.sleep(0.01)
        second = Connection(hub, reader_of(token))
        await second.until(has_seq(token, 2))
        await in_thread(buyer.place, token, "Buy", 101, 2)
        follower = await second.until(lambda f: f.trades != [])
        newest = await in_thread(Trade.objects.order_by("-seq").first)
        assert follower.trades == [str(newest.id)]
        assert "reset" not in follower.names
        await second.close()

    run_apart(follow())


def test_a_slow_reader_starts_again(token, buyer, monkeypatch):
    monkeypatch.setattr(streams, "_MOST_QUEUED", 5)

    async def follow() -> None:
        hub = Hub()
        restarts, messages = measured("restarts_total"), measured("messages_total")
        slow, other = (Connection(hub, reader_of(token)) for _ in range(2))
        for each in (slow, other):
            await each.until(has_seq(token, 1))
        assert measured("readers") == 2
        for number in range(6):
            await in_thread(buyer.place, token, "Buy", 90 + number, 1)
            await other.until(has_seq(token, 2 + number))
        follower = await slow.until(has_seq(token, 7))
        assert follower.names.count("reset") >= 3
        assert follower.names.count("snapshot") == 2
        now = await in_thread(read_book, token.id, 200)
        assert follower.books[str(token.id)].states[7] == levels_of(now)
        assert "reset" not in other.follower.names
        assert measured("restarts_total") > restarts
        # A book, a ticker, and trades of each change for one reader alone.
        assert measured("messages_total") > messages + 12
        for each in (slow, other):
            await each.close()
        assert measured("readers") == 0

    run_apart(follow())


def test_a_slow_reader_starts_again_once_when_the_database_returns(token, monkeypatch):
    async def follow() -> None:
        hub = Hub()
        reader = reader_of(token)
        connection = Connection(hub, reader)
        await connection.until(has_seq(token, 1))
        monkeypatch.setattr(streams, "_MOST_QUEUED", 5)
        reader.queue.extend([b"a", b"b", b"c", b"d"])
        restarts = measured("restarts_total")
        hub._restart(reader, reader.channels)
        assert measured("restarts_total") == restarts + 1
        assert len(reader.queue) == 5
        await connection.close()

    run_apart(follow())


def test_another_server_is_not_trusted_with_what_was_sent(token, buyer):
    """After a failure all start again, and where a book has an older number, its readers."""
    fails = behind = False

    def read(known: Any) -> Any:
        nonlocal fails, behind
        if fails:
            fails = False
            raise OperationalError("the connection is lost")
        if behind and known:
            behind = False
            [change] = read_changes(dict.fromkeys(known))
            book = Book(seq=1, bids=change.book["bids"], asks=change.book["asks"])
            return [replace(change, book=book, position=replace(change.position, seq=1))]
        return read_changes(known)

    async def follow() -> None:
        nonlocal fails, behind
        connection = Connection(Hub(read), reader_of(token))
        await connection.until(has_seq(token, 1))
        failures, readings = measured("reading_failures_total"), measured("reading_seconds_count")
        fails = True
        follower = await connection.until(lambda f: f.names.count("snapshot") == 2)
        assert follower.names.count("reset") == 3
        assert measured("reading_failures_total") == failures + 1
        assert measured("reading_seconds_count") > readings + 1
        await in_thread(buyer.place, token, "Buy", 90, 1)
        await connection.until(has_seq(token, 2))
        behind = True
        follower = await connection.until(lambda f: f.names.count("snapshot") == 3)
        assert follower.names.count("reset") == 6
        await connection.until(has_seq(token, 2))
        await connection.close()

    run_apart(follow())


def test_a_heartbeat_comes_when_nothing_else_does(token, monkeypatch):
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)

    async def follow() -> None:
        connection = Connection(Hub(), reader_of(token))
        await connection.until(has_seq(token, 1))
        while connection.texts[-1] != streams.HEARTBEAT:
            await connection.read()
        await connection.close()

    run_apart(follow())


def test_a_reader_that_may_not_read_any_more_gets_an_end(token, buyer, monkeypatch):
    monkeypatch.setattr(streams, "CHECK_SECONDS", 0)
    allowed = True

    async def follow() -> Follower:
        nonlocal allowed
        hub = Hub()
        connection = Connection(hub, reader_of(token, may_read=lambda: allowed))
        await connection.until(has_seq(token, 1))
        allowed = False
        with suppress(StopAsyncIteration):
            await connection.until(lambda _: False)
        assert hub.readers == set()
        return connection.follower

    assert run_apart(follow()).names[-1] == "end"
