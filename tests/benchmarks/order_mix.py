"""The orders of the order benchmark, and the loop of the programs that place them.

A contender is a program that reads lines `<threads> <seconds>` from standard input and prints the
number of orders it placed. Every thread trades a token of its own with all owners, so that their
accounts are shared across tokens. More threads than tokens trade a single one.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat

from django.db import connections

# Tokens that one thread trades, and all tokens: many threads trade the last one.
OWN = 8
TOKENS = 9
OWNERS = 200
DEPTH = 50
PRICE = 100


@dataclass(frozen=True)
class OrderRequest:
    """An order of the owner with this number; `price` and `tokens` are whole numbers."""

    owner: int
    side: str
    price: int
    tokens: int


# Places one order for the token with this number.
Place = Callable[[int, OrderRequest], object]


def resting_orders() -> Iterator[OrderRequest]:
    """Return orders that rest far from the traded prices, so that a book is never empty."""
    for level in range(DEPTH):
        yield OrderRequest(level % OWNERS, "Buy", PRICE // 2 - level // 5, 10)
        yield OrderRequest(level % OWNERS, "Sell", PRICE * 2 + level // 5, 10)


def order_mix(seed: str) -> Iterator[OrderRequest]:
    """Yield endlessly one to three orders that rest, then one that fills them all.

    Two orders out of three rest, and one fills two others on average; sides alternate.
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
    """Run measurements until standard input ends. Thread n trades token `first_token` + n."""
    # A stream continues where the previous measurement stopped.
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
