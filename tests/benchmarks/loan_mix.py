"""The loans of the loan benchmark, and the loop of the programs that make them.

A contender is a program that reads a number of seconds from standard input and prints how many
loans it made, in how many seconds, and its own CPU seconds.
"""

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
    """The numbers of a loan's borrower, offer and pledged tokens."""

    borrower: int
    offer: int
    tokens: list[int]


def serve(lend: Callable[[LoanRequest], object]) -> None:
    """Run measurements until standard input ends; the same loans for every contender."""
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
