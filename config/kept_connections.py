"""Database connections of the web server's threads, which keep them while requests wait.

Django would take one from the pool and return it for every request.
"""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections, reset_queries

Request = TypeVar("Request")


def disconnect_signals() -> None:
    """Disconnect what Django does around every request.

    `release_connections` takes its place; the log of queries is off, and caches need no closing.
    """
    for signal, receiver in (
        (request_started, close_old_connections),
        (request_finished, close_old_connections),
        (request_started, reset_queries),
        (request_finished, close_caches),
    ):
        signal.disconnect(receiver)


def take_request(waiting: SimpleQueue[Request]) -> Request:
    """Return the next request; release this thread's connections only to wait for it."""
    release_connections(only_failed=True)
    with suppress(Empty):
        return waiting.get_nowait()
    release_connections()
    return waiting.get()


def release_connections(*, only_failed: bool = False) -> None:
    """Return this thread's database connections to their pools, or close those that failed."""
    for connection in connections.all(initialized_only=True):
        if connection.errors_occurred or not only_failed:
            connection.close_if_unusable_or_obsolete()
