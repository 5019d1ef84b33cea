"""A client of streams: rebuilds books from snapshots and changes, and keeps every state of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

Levels = dict[Decimal, tuple[Decimal, int]]


def events_of(texts: Iterator[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield id, name and data of each event in the lines of a stream."""
    fields: dict[str, str] = {}
    for line in texts:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            data = json.loads(fields["data"], parse_float=Decimal, parse_int=Decimal)
            yield fields.get("id", ""), fields["event"], data
            fields = {}


@dataclass
class FollowedBook:
    """One book; `states` has each of them by its number."""

    seq: int | None = None
    bids: Levels = field(default_factory=dict)
    asks: Levels = field(default_factory=dict)
    states: dict[int, tuple[Levels, Levels]] = field(default_factory=dict)

    def take(self, event: str, data: Any) -> None:
        if event == "reset":
            self.seq = None
            return
        if event == "snapshot":
            self.bids, self.asks = {}, {}
        else:
            assert self.seq == data["prev_seq"], (self.seq, data["prev_seq"])
        for side, levels in ((self.bids, data["bids"]), (self.asks, data["asks"])):
            for level in levels:
                side[level["price"]] = (level["tokens"], level["orders"])
                if not level["orders"]:
                    del side[level["price"]]
        self.seq = int(data["seq"])
        self.states[self.seq] = (dict(self.bids), dict(self.asks))


@dataclass
class Follower:
    """All that came, by channel."""

    books: dict[str, FollowedBook] = field(default_factory=dict)
    trades: list[str] = field(default_factory=list)
    tickers: list[Any] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    last_id: str = ""

    def take(self, event_id: str, event: str, data: Any) -> None:
        self.names.append(event)
        self.last_id = event_id or self.last_id
        kind, _, token = data.get("channel", "").partition(":")
        if kind == "book":
            self.books.setdefault(token, FollowedBook()).take(event, data)
        elif event == "trades":
            self.trades += [trade["_id"] for trade in data["trades"]]
        elif event == "ticker":
            self.tickers.append(data)


def levels_of(book: Any) -> tuple[Levels, Levels]:
    """Return the sides of a book as a follower keeps them."""
    bids, asks = (
        {level["price"]: (level["tokens"], level["orders"]) for level in book[side]}
        for side in ("bids", "asks")
    )
    return bids, asks
