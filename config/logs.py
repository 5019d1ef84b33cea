"""How the service logs: structured events, JSON lines in production, quiet plain lines locally.

Every event passes `drop_secrets`, whatever logged it.
"""

from __future__ import annotations

from logging import LogRecord
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_SECRET_WORDS = (
    "authorization",
    "secret",
    "password",
    "token",
    "cookie",
    "verif-hash",
    "account_number",
)


def drop_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Blank the values of keys that name credentials or bank accounts, at any depth."""
    return {key: _cleaned(key, value) for key, value in event.items()}


def _cleaned(key: object, value: Any) -> Any:
    if isinstance(key, str) and any(word in key.lower() for word in _SECRET_WORDS):
        return "[removed]"
    if isinstance(value, dict):
        return {name: _cleaned(name, item) for name, item in value.items()}
    return value


def not_told_by_the_api(record: LogRecord) -> bool:
    """Whether Django's line about an answer says more than the API's own: of a 503 the API has
    said why, once, and a line for each request refused meanwhile would only bury it.
    """
    request = getattr(record, "request", None)
    in_api = getattr(request, "path_info", "").startswith("/v1/")
    return not (in_api and getattr(record, "status_code", None) == 503)


def _shared_processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        drop_secrets,
    ]


def configure_structlog(*, as_json: bool) -> None:
    """Route structlog through the standard library, so that one handler writes every line."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared_processors(),
            *([structlog.processors.format_exc_info] if as_json else []),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logging_settings(*, as_json: bool, level: str) -> dict[str, Any]:
    """Django's LOGGING: everything at `level` or above, one line per event on standard error."""
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        # Plain: with the values of variables a fault would take seconds to write, secrets included.
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
                "foreign_pre_chain": _shared_processors(),
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *([structlog.processors.format_exc_info] if as_json else []),
                    renderer,
                ],
            },
        },
        "filters": {"told": {"()": lambda: not_told_by_the_api}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "events"}},
        "root": {"handlers": ["console"], "level": level.upper()},
        "loggers": {
            # Refused requests are the client's affair; the API counts them itself.
            "django.request": {"level": "ERROR", "filters": ["told"]},
            "django.security.DisallowedHost": {"level": "ERROR"},
        },
    }
