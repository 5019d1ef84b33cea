"""Who is acting, for the audit: set once at an edge, and sent along with whatever writes.

The edges (requests, tasks, commands) say `with acting(who, via)`. Inside, every statement of
Django's that may write carries the actor with it, in the same round trip and for its transaction
only, so that nothing of it stays on a pooled connection. The hot calls of `exchange.core.database`
do not pass here: their functions are told the actor, or go `FROM act_as(…)` with `acting_as`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db import connections
from psycopg import sql

from exchange.core.actors import Actor

# A person or program that has not said who it is, in a browser.
VISITOR = "visitor:web"

# What may write: everything but the queries that Django itself makes, and functions that read.
_WRITES = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|WITH|CALL|DO|SELECT\s+(?!COUNT\()[a-z_.]+\()", re.I
)


@dataclass(slots=True)
class _AuditContext:
    """`who` is asked at every write: on the way through a sign-in the answer changes."""

    who: Callable[[], Actor | None]
    via: str


_current: ContextVar[_AuditContext | None] = ContextVar("acting", default=None)


@contextlib.contextmanager
def audit_context(who: Actor | Callable[[], Actor | None], via: str) -> Iterator[None]:
    """Inside, changes are those of `who`, who came through `via` (`request:<id>`, …)."""
    ask = (lambda: who) if isinstance(who, Actor) else who
    before = _current.set(_AuditContext(ask, via))
    try:
        with contextlib.ExitStack() as stack:
            for connection in connections.all():
                if _send_settings not in connection.execute_wrappers:
                    stack.enter_context(connection.execute_wrapper(_send_settings))
            yield
    finally:
        _current.reset(before)


def set_actor(actor: Actor) -> None:
    """From here on the request is `actor`'s: it has shown who it is."""
    now = _current.get()
    if now is not None:
        now.who = lambda: actor


def actor_parameters(actor: Actor) -> list[str]:
    """The parameters of SQL's `act_as` for a service that is told its actor."""
    now = _current.get()
    return [str(actor), actor.label, now.via if now else ""]


def _send_settings(
    execute: Callable[..., Any], statement: Any, parameters: Any, many: bool, context: Any
) -> Any:
    """Sends the settings in front of what may write, as one message."""
    now = _current.get()
    cursor = context["cursor"].cursor
    if (
        now is None
        or not isinstance(statement, str)
        or getattr(cursor, "name", None)  # a cursor of the server, which only reads
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
    while cursor.nextset():  # on to the answer of the statement itself
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
