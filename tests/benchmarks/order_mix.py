"""The orders that the order benchmark places, and the program that places them.

A contender is a program of its own that answers each line `<threads> <seconds>` on its standard
input with the number of orders it placed. Every thread trades one token of its own with all
owners, whose accounts are so shared across tokens; a crowd, of more threads than there are tokens
to have for oneself, trades one.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat

from django.db import connections

# Tokens of which each is traded by one thread at most, and all: the last one is a crowd's.
OWN = 8
TOKENS = 9
OWNERS = 200
DEPTH = 50
PRICE = 100


@dataclass(frozen=True)
class OrderRequest:
    """One order: which of the owners places it; `price` and `tokens` are whole numbers."""

    owner: int
    side: str
    price: int
    tokens: int


# Places one order for a token, told by its number.
Place = Callable[[int, OrderRequest], object]


def resting_orders() -> Iterator[OrderRequest]:
    """Orders that rest far from where the mix trades: a book is never empty."""
    for level in range(DEPTH):
        yield OrderRequest(level % OWNERS, "Buy", PRICE // 2 - level // 5, 10)
        yield OrderRequest(level % OWNERS, "Sell", PRICE * 2 + level // 5, 10)


def order_mix(seed: str) -> Iterator[OrderRequest]:
    """Without end: one to three orders that rest, then one that takes them all.

    Two orders out of three rest, one takes two others on average; sides take turns.
    """
    choose = random.Random(seed)
    while True:
        for makers in (1, 2, 3):
            resting, taking = choose.sample([("Buy", -1), ("Sell", 1)], 2)
            *some, taker = choose.sample(range(OWNERS), makers + 1)
            for number, owner in enumerate(some):
                yield OrderRequest(owner, resting[0], PRICE + resting[1] * number, 2)
            yield OrderRequest(taker, taking[0], PRICE + resting[1] * makers, 2 * makers)


def serve(place: Place, first_token: int) -> None:
    """Answers measurements until standard input ends. Thread n trades token `first_token` + n."""
    # A stream goes on where the measurement before it stopped.
    streams: dict[tuple[int, int], Iterator[OrderRequest]] = {}

    def work(thread: int, token: int, seconds: float) -> int:
        stream = streams.setdefault((thread, token), order_mix(f"{first_token} {thread} {token}"))
        end = time.perf_counter() + seconds
        count = 0
        while time.perf_counter() < end:
            place(token, next(stream))
            count += 1
        connections.close_all()
        return count

    print("ready", flush=True)
    for line in sys.stdin:
        threads, seconds = line.split()
        numbers = range(int(threads))
        if len(numbers) > OWN:
            tokens = [OWN] * len(numbers)
        else:
            tokens = [first_token + number for number in numbers]
        with ThreadPoolExecutor(len(tokens)) as pool:
            placed = pool.map(work, numbers, tokens, repeat(float(seconds)))
            print(sum(placed), flush=True)
