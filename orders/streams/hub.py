"""Sends what changes to all readers of a process, from one task that reads PostgreSQL.

All of it runs in the event loop; only PostgreSQL is read in threads, one for what has changed and
one for the rights of readers. A reader has a queue of encoded events: one that does not keep up
loses it, and starts again from a snapshot.
"""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError

from exchange.api.responses import encode_json
from exchange.core import metrics
from exchange.core.ids import uuid7
from orders.book.selectors import Book, PriceLevel
from orders.streams.channels import Channel, Kind
from orders.streams.reading import Change, Position, read_changes

POLL_SECONDS = 0.2
# Between two messages of one token.
PAUSE_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0
# After which a ticker is read again without a change: its trades leave the 24 hours.
TICKER_SECONDS = 60.0
# Between two checks of whether readers may still read.
CHECK_SECONDS = 30.0
MOST_READERS = 500
# What a reader may be behind, and what a new connection can resume from.
_MOST_QUEUED = 200
_REMEMBERED = 5000
# Of the number in an id: more are not of this process.
_MOST_DIGITS = 18
# How long a token is followed after its last reader has gone.
_FORGET_SECONDS = 60.0
_AFTER_FAILURE_SECONDS = 1.0
HEARTBEAT = b": heartbeat\n\n"

log = structlog.get_logger(__name__)


@dataclass(eq=False)
class Reader:
    """One connection. `may_read` says whether it may go on, `resume` is the last id it had."""

    organisation: UUID
    channels: frozenset[Channel]
    may_read: Callable[[], bool]
    resume: str = ""
    # Channels that wait for a first reading of their token.
    waiting: set[Channel] = field(default_factory=set)
    queue: deque[bytes] = field(default_factory=deque)
    ended: bool = False
    wakes: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Followed:
    """A token that readers follow, as they know it."""

    position: Position | None = None
    book: Book | None = None
    ticker: Any = None
    # Ids with a smaller number are of readers that have not had its present state.
    since: int = 0
    due_at: float = 0.0
    ticker_at: float = 0.0
    read_at: float = 0.0

    def known(self, now: float) -> Position | None:
        """Return the position, without the number of its book where the ticker is old."""
        is_old = now - self.ticker_at >= TICKER_SECONDS
        if self.position and is_old and self.ticker["trades"]:
            return replace(self.position, seq=-1)
        return self.position


class Hub:
    """The readers of this process."""

    def __init__(self, read: Callable[..., list[Change]] = read_changes) -> None:
        self.readers: set[Reader] = set()
        self._read = read
        self._tokens: dict[UUID, Followed] = {}
        # Ids of messages: those of another process are not of this epoch.
        self._epoch = uuid7().hex[-12:]
        self._numbers = itertools.count(1)
        self._last = 0
        self._sent: deque[tuple[int, Channel, bytes]] = deque(maxlen=_REMEMBERED)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="streams")
        self._checks = ThreadPoolExecutor(1, thread_name_prefix="stream-checks")
        # Whether the database was away.
        self._is_lost = False
        self._task: asyncio.Task[None] | None = None

    async def follow(self, reader: Reader) -> AsyncIterator[bytes]:
        """Yield what `reader` is to get, until its connection or its right to read ends."""
        try:
            self._admit(reader)
            while True:
                yield await self._next(reader)
                if reader.ended and not reader.queue:
                    return
        finally:
            self._remove(reader)

    async def _next(self, reader: Reader) -> bytes:
        if not reader.queue:
            reader.wakes.clear()
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await reader.wakes.wait()
            except TimeoutError:
                return HEARTBEAT
        found = b"".join(reader.queue)
        reader.queue.clear()
        return found

    def _remove(self, reader: Reader) -> None:
        self.readers.discard(reader)
        metrics.STREAM_READERS.set(len(self.readers))

    def _admit(self, reader: Reader) -> None:
        self.readers.add(reader)
        metrics.STREAM_READERS.set(len(self.readers))
        now = time.monotonic()
        for channel in reader.channels:
            self._tokens.setdefault(channel.token, Followed(since=self._last)).read_at = now
        if not self._resumes(reader):
            if reader.resume:
                self._restart(reader, reader.channels)
            else:
                self._start(reader, reader.channels)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def _resumes(self, reader: Reader) -> bool:
        """Send what the reader has missed, if all of it is remembered."""
        epoch, _, number = reader.resume.partition("-")
        if epoch != self._epoch or not number.isdecimal() or len(number) > _MOST_DIGITS:
            return False
        last = int(number)
        tokens = [self._tokens[channel.token] for channel in reader.channels]
        oldest = self._sent[0][0] if self._sent else self._last + 1
        if not oldest - 1 <= last <= self._last or any(
            token.book is None or token.since > last for token in tokens
        ):
            return False
        missed = [
            text for n, channel, text in self._sent if n > last and channel in reader.channels
        ]
        self._queue(reader, missed)
        return True

    def _start(self, reader: Reader, channels: Iterable[Channel]) -> None:
        """Send the present state of `channels`, at once or when it is known."""
        if texts := self._first_messages(reader, channels):
            self._queue(reader, texts)

    def _first_messages(self, reader: Reader, channels: Iterable[Channel]) -> list[bytes]:
        """Return the present state of `channels`; the reader waits for those not known yet.

        Only the last message can be resumed from: a connection may be cut before it.
        """
        reader.waiting |= {c for c in channels if self._tokens[c.token].book is None}
        known = sorted(set(channels) - reader.waiting, key=str)
        states = [state for channel in known for state in self._state(channel)]
        if not states:
            return []
        *others, last = states
        return [*(self._encode(*each, None) for each in others), self._encode(*last, self._last)]

    def _restart(self, reader: Reader, channels: Iterable[Channel]) -> None:
        # All at once: a reader whose queue has no room for them starts again once, not for each.
        resets = [self._encode("reset", each, {}, None) for each in sorted(channels, key=str)]
        if resets:
            self._queue(reader, [*resets, *self._first_messages(reader, channels)])

    def _queue(self, reader: Reader, texts: Sequence[bytes]) -> None:
        if len(reader.queue) + len(texts) > _MOST_QUEUED:
            # Once: what comes next goes on from the snapshot.
            reader.queue.clear()
            reader.waiting.clear()
            log.info("stream_reader_slow", organisation=str(reader.organisation))
            metrics.STREAM_RESTARTS.inc()
            self._restart(reader, reader.channels)
        else:
            reader.queue.extend(texts)
            metrics.STREAM_MESSAGES.inc(len(texts))
        reader.wakes.set()

    # --- the task --------------------------------------------------------------------------------

    async def _run(self) -> None:
        """Read and send while a token is followed."""
        checking = asyncio.create_task(self._check_readers())
        try:
            while self._tokens:
                began = time.monotonic()
                self._forget(began)
                try:
                    await self._read_and_send(began)
                except Exception:
                    # Whatever it is, no reader may wait for a task that has ended.
                    log.exception("streams_not_read")
                    metrics.STREAM_READING_FAILURES.inc()
                    self._is_lost = True
                    await asyncio.sleep(_AFTER_FAILURE_SECONDS)
                await asyncio.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - began)))
        finally:
            checking.cancel()

    async def _read_and_send(self, now: float) -> None:
        due = {id_: token.known(now) for id_, token in self._tokens.items() if token.due_at <= now}
        loop = asyncio.get_running_loop()
        with metrics.STREAM_READING_SECONDS.time():
            changes = await loop.run_in_executor(self._thread, self._read, due)
        if self._is_lost:
            # Another server may have taken over, without what this one had sent last.
            self._is_lost = False
            self._start_again()
            return
        for change in changes:
            self._send(change)

    def _start_again(self) -> None:
        for token in self._tokens.values():
            token.position = token.book = None
            token.since = self._last + 1
        for reader in self.readers:
            self._restart(reader, reader.channels - reader.waiting)

    def _forget(self, now: float) -> None:
        """Stop following tokens without readers."""
        for channel in itertools.chain.from_iterable(each.channels for each in self.readers):
            self._tokens[channel.token].read_at = now
        for token in [t for t, f in self._tokens.items() if now - f.read_at > _FORGET_SECONDS]:
            del self._tokens[token]

    async def _check_readers(self) -> None:
        """End the streams of readers that may not read any more, in a thread of its own."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            for reader in list(self.readers):
                try:
                    allowed = await loop.run_in_executor(self._checks, reader.may_read)
                except DatabaseError:
                    log.warning("streams_not_checked", exc_info=True)
                    break
                if not allowed:
                    self._end(reader)

    def _end(self, reader: Reader) -> None:
        reader.queue.clear()
        reader.queue.append(b'event: end\ndata: {"reason":"not_allowed"}\n\n')
        reader.ended = True
        self._remove(reader)
        reader.wakes.set()

    def _send(self, change: Change) -> None:
        """Send a change to the readers of its token, and its state to those that wait for it."""
        token = self._tokens[change.token]
        before, seq = token.book, change.position.seq
        has_aged = before is not None and seq == before["seq"] and change.ticker != token.ticker
        token.position, token.book, token.ticker = change.position, change.book, change.ticker
        token.ticker_at = time.monotonic()
        token.due_at = token.ticker_at + PAUSE_SECONDS
        if before is not None and seq < before["seq"]:
            # The database is an older one.
            self._start_token(token)
            for reader in self.readers:
                self._restart(reader, [c for c in reader.channels if c.token == change.token])
            return
        ticker = Channel(Kind.TICKER, change.token)
        if has_aged:
            self._broadcast(ticker, "ticker", change.ticker)
        elif before is not None and seq != before["seq"]:
            self._broadcast(Channel(Kind.BOOK, change.token), "change", book_change(before, change))
            trades = Channel(Kind.TRADES, change.token)
            if change.trades:
                self._broadcast(trades, "trades", {"trades": change.trades})
            if not change.complete:
                self._broadcast(trades, "reset", {})
            self._broadcast(ticker, "ticker", change.ticker)
        elif before is None:
            self._start_token(token)
        for reader in self.readers:
            known = {channel for channel in reader.waiting if channel.token == change.token}
            reader.waiting -= known
            self._start(reader, known)

    def _start_token(self, token: Followed) -> None:
        """Number the state that readers of `token` are to start from."""
        token.since = self._last = next(self._numbers)

    def _broadcast(self, channel: Channel, event: str, data: Any) -> None:
        readers = [r for r in self.readers if channel in r.channels and channel not in r.waiting]
        self._last = next(self._numbers)
        text = self._encode(event, channel, data, self._last)
        self._sent.append((self._last, channel, text))
        for reader in readers:
            self._queue(reader, [text])

    # --- messages --------------------------------------------------------------------------------

    def _state(self, channel: Channel) -> list[tuple[str, Channel, Any]]:
        token = self._tokens[channel.token]
        if channel.kind is Kind.BOOK:
            return [("snapshot", channel, token.book)]
        if channel.kind is Kind.TICKER:
            return [("ticker", channel, token.ticker)]
        return []

    def _encode(self, event: str, channel: Channel, data: Any, number: int | None) -> bytes:
        """Return the text of a message; without a `number` its id cannot be resumed from."""
        text = encode_json({"channel": str(channel), **data})
        name = f"{self._epoch}-{'' if number is None else number}"
        return b"id: %b\nevent: %b\ndata: %b\n\n" % (name.encode(), event.encode(), text)


def book_change(before: Book, change: Change) -> dict[str, Any]:
    """Return the levels that differ; those that have gone have no units and no orders."""
    return {
        "prev_seq": before["seq"],
        "seq": change.book["seq"],
        "bids": _changed_levels(before["bids"], change.book["bids"]),
        "asks": _changed_levels(before["asks"], change.book["asks"]),
    }


def _changed_levels(before: list[PriceLevel], now: list[PriceLevel]) -> list[PriceLevel]:
    old = {level["price"]: level for level in before}
    changed = [level for level in now if old.pop(level["price"], None) != level]
    gone: list[PriceLevel] = [{"price": price, "tokens": 0, "orders": 0} for price in old]  # type: ignore[typeddict-item]
    return changed + gone


HUB = Hub()
