"""The loans that the loan benchmark makes, and the program that makes them.

A contender is a program of its own that answers each number of seconds on its standard input with
how many loans it made, in how many seconds, and how many seconds of processor time it took itself.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

BORROWERS = 200
TOKENS = 10
OFFERS = 20
AMOUNT = 1000
REPAYMENT = 1900  # at 0.3 a month for 3 months
UNITS = 20  # of every token pledged, at a price of 100
MAX_OUTSTANDING = 10**12


@dataclass(frozen=True)
class LoanRequest:
    """One loan: which borrower, which offer, which tokens are pledged."""

    borrower: int
    offer: int
    tokens: list[int]


def serve(lend: Callable[[LoanRequest], object]) -> None:
    """Answers measurements until standard input ends; the same loans for every contender."""
    choose = random.Random(1)
    print("ready", flush=True)
    for line in sys.stdin:
        start, busy = time.perf_counter(), time.process_time()
        end = start + float(line)
        count = 0
        while time.perf_counter() < end:
            lend(
                LoanRequest(
                    borrower=choose.randrange(BORROWERS),
                    offer=choose.randrange(OFFERS),
                    tokens=choose.sample(range(TOKENS), choose.randint(1, 3)),
                )
            )
            count += 1
        taken, busy = time.perf_counter() - start, time.process_time() - busy
        print(count, taken, busy, flush=True)
