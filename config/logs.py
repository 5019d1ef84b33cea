"""Logging: structured events, as JSON lines in production and plain lines locally.

Lines of a request carry its id and, once authenticated, organisation and API key, or staff user;
lines of a task its name and id, and the id of the request that caused it. Every line passes
`config.redaction`.
"""

import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from logging import LogRecord, getLevelNamesMapping
from threading import Lock
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from config.redaction import drop_secrets, remove_secrets
from exchange.core.database import is_unavailable

_OWN = ("config", "credit", "exchange", "orders", "wallets")

_SECONDS_BETWEEN_LINES = 1.0
_SECONDS_BETWEEN_TRACEBACKS = 60.0
_MAX_CAUSES = 200


def adds_to_api_logs(record: LogRecord) -> bool:
    """Return False for Django's line about a 503 of the API, which has logged the cause itself."""
    request = getattr(record, "request", None)
    in_api = getattr(request, "path_info", "").startswith("/v1/")
    return not (in_api and getattr(record, "status_code", None) == 503)


class RepeatLimiter:
    """A handler's filter: one line per second and cause, one traceback per minute.

    A full disk, for example, fails every request and task. Each line has the number of similar ones
    suppressed before it. Only records of exceptions and failed responses are limited.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._causes: OrderedDict[Hashable, _Repeats] = OrderedDict()

    def filter(self, record: LogRecord) -> bool:
        """Return whether to write the record; remove a traceback that was written recently."""
        error = _find_error(record)
        if error is None and record.name != "django.request":
            return True
        cause = _find_cause(record, error)
        now = self._clock()
        with self._lock:
            seen = self._causes.get(cause)
            if seen is None:
                self._causes[cause] = _Repeats(now, now)
                if len(self._causes) > _MAX_CAUSES:
                    self._causes.popitem(last=False)
                return True
            if now - seen.written_at < _SECONDS_BETWEEN_LINES:
                seen.suppressed += 1
                return False
            suppressed, seen.suppressed, seen.written_at = seen.suppressed, 0, now
            whole = now - seen.traced_at >= _SECONDS_BETWEEN_TRACEBACKS
            if whole:
                seen.traced_at = now
        _shorten(record, error, suppressed, whole=whole)
        return True


@dataclass(slots=True)
class _Repeats:
    written_at: float
    traced_at: float
    suppressed: int = 0


def _find_error(record: LogRecord) -> BaseException | None:
    given: Any = record.exc_info
    if isinstance(record.msg, dict):  # an event of structlog
        given = record.msg.get("exc_info")
    if given is True:
        given = sys.exc_info()
    if isinstance(given, tuple):
        given = given[1]
    return given if isinstance(given, BaseException) else None


def _find_cause(record: LogRecord, error: BaseException | None) -> Hashable:
    """Return a key that records with the same cause share."""
    if error is not None and is_unavailable(error):
        # One cause fails every statement, and PostgreSQL has a code for it.
        return type(error.__cause__), getattr(error.__cause__, "sqlstate", None)
    event = record.msg["event"] if isinstance(record.msg, dict) else record.msg
    place = None
    if error is not None and error.__traceback__ is not None:
        *_, (frame, line) = traceback.walk_tb(error.__traceback__)
        place = (frame.f_code.co_filename, line)
    return record.name, str(event), getattr(record, "status_code", None), type(error), place


def _shorten(
    record: LogRecord, error: BaseException | None, suppressed: int, *, whole: bool
) -> None:
    """Add the number of suppressed records, and remove the traceback unless `whole`."""
    reason = "" if error is None else f"{type(error).__name__}: {error}".strip()
    if isinstance(record.msg, dict):
        event = dict(record.msg)
        if not whole and event.pop("exc_info", None):
            event["error"] = reason
        record.msg = {**event, "repeated": suppressed}
        return
    text = record.getMessage()
    if not whole:
        record.exc_info = record.exc_text = None
        text = f"{text} ({reason})" if reason else text
    record.msg, record.args = f"{text} [and {suppressed} like it]", ()


def add_task(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Add the name and id of the task that a line of Celery is about."""
    data = getattr(event.get("_record"), "data", None)
    if isinstance(data, dict) and {"id", "name"} <= data.keys():
        event.update(task=data["name"], task_id=data["id"])
    return event


def _shared_processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        drop_secrets,
    ]


def configure_structlog() -> None:
    """Route structlog through the standard library, for one handler of all lines."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared_processors(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _least(level: str, other: str) -> str:
    """Return the less verbose of two levels."""
    return max(level, other, key=getLevelNamesMapping().__getitem__)


def logging_settings(*, as_json: bool, level: str) -> dict[str, Any]:
    """Return Django's LOGGING: events at `level` or above, one line each on standard error.

    DEBUG is for our own modules: libraries would quote requests and contexts of templates.
    """
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        # Without the values of variables, which are slow to format and may be secrets.
        else structlog.dev.ConsoleRenderer(
            colors=False, pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
        )
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "events": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [add_task, *_shared_processors()],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    remove_secrets,
                    renderer,
                ],
            },
        },
        "filters": {
            "api_503": {"()": lambda: adds_to_api_logs},
            "repeats": {"()": RepeatLimiter},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "events",
                "filters": ["repeats"],
            }
        },
        "root": {"handlers": ["console"], "level": _least(level, "INFO")},
        "loggers": {
            **{name: {"level": level} for name in _OWN},
            # Each task has a line of its own, as each request; beat's say what it publishes.
            "celery.app.trace": {"level": _least(level, "WARNING")},
            "celery.worker.strategy": {"level": _least(level, "WARNING")},
            "celery.beat": {"level": _least(level, "WARNING")},
            # Rejected requests are not our errors.
            "django.request": {"level": "ERROR", "filters": ["api_503"]},
            "django.security.DisallowedHost": {"level": "ERROR"},
        },
    }
