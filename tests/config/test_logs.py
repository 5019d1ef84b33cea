"""Faults with one cause are logged once a second, with few tracebacks."""

import logging
import sys

from django.db import OperationalError
from psycopg.errors import AdminShutdown, DiskFull

from config.logs import RepeatLimiter


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def record(error: Exception | None, name: str = "exchange", **event: object) -> logging.LogRecord:
    """Return a structlog event with `error`, or a plain record."""
    message = {"event": "fault", **event, **({"exc_info": error} if error else {})}
    return logging.LogRecord(name, logging.ERROR, __file__, 1, message, (), None)


def database_error(cause: type[Exception]) -> OperationalError:
    error = OperationalError("no")
    error.__cause__ = cause("no")
    return error


def written(limit: RepeatLimiter, *records: logging.LogRecord) -> list[bool]:
    return [limit.filter(each) for each in records]


def test_the_first_line_is_complete_and_later_ones_count_the_suppressed() -> None:
    clock = Clock()
    limit = RepeatLimiter(clock)
    first = record(database_error(DiskFull))
    assert written(limit, first, *(record(database_error(DiskFull)) for _ in range(50))) == [
        True,
        *[False] * 50,
    ]
    assert "exc_info" in first.msg
    assert "repeated" not in first.msg
    clock.now = 1.0
    later = record(database_error(DiskFull))
    assert limit.filter(later)
    assert later.msg == {"event": "fault", "error": "OperationalError: no", "repeated": 50}
    clock.now = 61.0
    whole = record(database_error(DiskFull))
    assert limit.filter(whole)
    assert "exc_info" in whole.msg


def test_causes_are_distinguished_wherever_they_appear() -> None:
    limit = RepeatLimiter(Clock())
    assert written(
        limit,
        record(database_error(DiskFull)),
        record(database_error(DiskFull), name="celery.app.trace", event="another"),
        record(database_error(AdminShutdown)),
        record(ValueError("a"), event="a"),
        record(ValueError("a"), event="b"),
        record(ValueError("b"), event="b"),
    ) == [True, False, True, True, True, False]


def test_other_records_are_never_suppressed() -> None:
    limit = RepeatLimiter(Clock())
    assert written(limit, *(record(None, event="staff.access") for _ in range(50))) == [True] * 50


def test_records_of_the_standard_library_are_limited_alike() -> None:
    clock = Clock()
    limit = RepeatLimiter(clock)

    def plain(n: int) -> logging.LogRecord:
        try:
            int(f"x{n}")
        except ValueError:
            info = sys.exc_info()
        return logging.LogRecord("a", logging.ERROR, __file__, 1, "failed %s", (n,), info)

    assert written(limit, *(plain(n) for n in range(10))) == [True, *[False] * 9]
    clock.now = 2.0
    later = plain(10)
    assert limit.filter(later)
    assert later.exc_info is None
    assert later.getMessage().startswith("failed 10 (ValueError: invalid literal")
    assert later.getMessage().endswith("[and 9 like it]")
