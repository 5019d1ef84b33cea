"""The actor that the audit records, set once at an edge and sent with every write.

Edges (requests, tasks, commands) enter `audit_context(actor, via)`. Inside, every Django statement
that may write carries the actor in the same round trip and for its transaction only, so a pooled
connection keeps nothing. Calls through `exchange.core.database` bypass this: their functions take
the actor, or select `FROM act_as(…)` with `actor_parameters`.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db import connections
from psycopg import sql

from exchange.core.actors import Actor

# An unauthenticated browser.
VISITOR = "visitor:web"

# Statements that may write: all but Django's own SELECTs.
_WRITES = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|WITH|CALL|DO|SELECT\s+(?!COUNT\()[a-z_.]+\()", re.I
)


@dataclass(slots=True)
class _AuditContext:
    """The current actor; `who` is called at every write, since a sign-in changes the result."""

    who: Callable[[], Actor | None]
    via: str


_current: ContextVar[_AuditContext | None] = ContextVar("acting", default=None)


@contextlib.contextmanager
def audit_context(who: Actor | Callable[[], Actor | None], via: str) -> Iterator[None]:
    """Attribute the changes inside to `who`, acting through `via` (`request:<id>`, …)."""
    ask = (lambda: who) if isinstance(who, Actor) else who
    for connection in connections.all():
        if _send_settings not in connection.execute_wrappers:  # stays; it does nothing outside
            connection.execute_wrappers.append(_send_settings)
    before = _current.set(_AuditContext(ask, via))
    try:
        yield
    finally:
        _current.reset(before)


def set_actor(actor: Actor) -> None:
    """Attribute the rest of the request to `actor`, once it is authenticated."""
    now = _current.get()
    if now is not None:
        now.who = lambda: actor


def actor_parameters(actor: Actor) -> list[str]:
    """Return the parameters of the SQL function `act_as` for `actor`."""
    now = _current.get()
    return [str(actor), actor.label, now.via if now else ""]


def _send_settings(
    execute: Callable[..., Any], statement: Any, parameters: Any, many: bool, context: Any
) -> Any:
    """Prefix a statement that may write with the settings, in one message."""
    now = _current.get()
    cursor = context["cursor"].cursor
    if (
        now is None
        or not isinstance(statement, str)
        or getattr(cursor, "name", None)  # a server-side cursor only reads
        or not _WRITES.match(statement)
    ):
        return execute(statement, parameters, many, context)
    prefix = _settings(now)
    if many:
        if context["connection"].in_atomic_block:
            cursor.execute(prefix)
        return execute(statement, parameters, many, context)
    if parameters is not None:
        prefix = prefix.replace("%", "%%")
    result = execute(prefix + statement, parameters, many, context)
    while cursor.nextset():  # skip to the result of the statement itself
        pass
    return result


def _settings(now: _AuditContext) -> str:
    actor = now.who()
    values = {
        "exchange.actor": str(actor) if actor else VISITOR,
        "exchange.actor_label": actor.label if actor else "",
        "exchange.via": now.via,
    }
    parts = (
        f"set_config('{name}', {sql.Literal(value.replace(chr(0), '')).as_string()}, true)"
        for name, value in values.items()
    )
    return f"SELECT {', '.join(parts)}; "
