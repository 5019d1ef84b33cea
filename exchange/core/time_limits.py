"""Reads that answer within a bound: each statement and all together, or they are cut short.

Each is expected to use an index, or to read a small table.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from django.db import OperationalError, connection, transaction

from exchange.core.database import sqlstate

_CANCELED = "57014"
Result = TypeVar("Result")


def read_within(
    reads: Sequence[Callable[[], Result]], *, milliseconds: int, seconds: float
) -> list[Result | None]:
    """Return the results of `reads`; None for one that was cut short.

    Each statement may take `milliseconds`. After `seconds` in total no further read starts.
    """
    deadline = monotonic() + seconds
    results: list[Result | None] = []
    while len(results) < len(reads):
        try:
            with _limited_statements(milliseconds):
                for read in reads[len(results) :]:
                    results.append(None if monotonic() >= deadline else read())
        except OperationalError as error:
            if sqlstate(error) != _CANCELED:
                raise
            # The transaction has ended with the statement; the other reads get another one.
            results.append(None)
    return results


@contextmanager
def _limited_statements(milliseconds: int) -> Iterator[None]:
    """Limit every statement of a transaction, and let it scan no table that has an index for it."""
    outer = connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout TO %s", [milliseconds])
        # For a word that the statistics do not know, a LIMIT lets a scan of the table look cheap.
        cursor.execute("SET LOCAL enable_seqscan TO off")
        yield
        if outer:
            # The settings would last until the end of the outer transaction.
            cursor.execute("SET LOCAL statement_timeout TO DEFAULT")
            cursor.execute("SET LOCAL enable_seqscan TO DEFAULT")
