"""The ASGI application of a stream process: Django's, for streams and their health alone.

Each reader is a task of one event loop, not a thread. What a request needs of PostgreSQL is read in
one thread, one request after another; the hub reads in a second one.
"""

from importlib import import_module
from io import BytesIO
from typing import Any

import django
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler

from config.celery import app as celery_app
from config.metrics import addresses, exposition
from config.startup import keep_connections

__all__ = ["celery_app", "start_application"]

PATHS = {"/v1/stream", "/health"}
# What requests to other paths are answered as: they are of the web processes, or wrong.
NO_PATH = "/v1/stream/"


class StreamHandler(ASGIHandler):
    """Django's application for `PATHS` alone."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Respond to a request."""
        if scope["type"] != "http":
            return
        if scope["path"] not in PATHS:
            scope = {**scope, "path": NO_PATH}
        # Not in a context of threads of its own, as Django's would be: a reader would keep a
        # thread, and its database connection, as long as it reads.
        await self.handle(scope, receive, send)

    async def read_body(self, receive: Any) -> BytesIO:
        """Return no body, and keep nothing of what was sent: no request of `PATHS` has one.

        Django would write it to a file. Raises `RequestAborted` where the client disconnects.
        """
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestAborted
            if not message.get("more_body", False):
                return BytesIO()


def start_application() -> StreamHandler:
    """Return the application to a process that the server has started."""
    exposition.serve_in_thread(addresses.STREAMS)
    return StreamHandler()


django.setup(set_prefix=False)
import_module(settings.ROOT_URLCONF)
keep_connections()
