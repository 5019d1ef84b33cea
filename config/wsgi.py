"""The WSGI application of a web process; imports Celery, so that requests can notify workers.

Bodies are read whole, and responses handed over whole, before a thread goes on: the server would
read and send both at the client's pace.
"""

import io
import threading
from contextlib import closing
from importlib import import_module
from typing import Any

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters

from config.celery import app as celery_app
from config.metrics import exposition
from config.startup import keep_connections
from exchange.core.metrics import REQUEST_THREADS
from exchange.requests.recording import REQUEST_LOG

__all__ = ["application", "celery_app", "start_application"]

# Longer files, and those of unknown length, are sent at the client's pace.
_MAX_IN_MEMORY = 2 * 1024 * 1024
# A longer body than the API's arrives at the client's pace, since the proxy does not hold it whole:
# one thread of a process reads it. Only forms may be so long, but who sends the rest sees the 413.
_long_body = threading.Lock()
_FORMS = "/admin/"


class Utf8Request(WSGIRequest):
    """A request whose text is UTF-8.

    Django decodes queries and forms by the charset of the Content-Type, with any of Python's codecs
    and before the first middleware. Here `BodyLimitMiddleware` refuses a body in another charset.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            self.content_type, self.content_params = parse_header_parameters(
                meta.get("CONTENT_TYPE", "")
            )
        except ValueError:  # a parameter in a charset that decodes no text
            self.content_type, self.content_params = "", {"charset": ""}


class WholeBodyHandler(WSGIHandler):
    """Django's application with these requests, and whole bodies and responses."""

    request_class = Utf8Request

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        """Respond to a request; one without its whole body is not processed."""
        if refusal := _read_body(environ):
            start_response(refusal, [("Content-Length", "0")])
            return []
        response: Any = super().__call__(environ, start_response)
        if response.streaming:
            length = response.headers.get("Content-Length")
            if length is None or int(length) > _MAX_IN_MEMORY:
                return response
        with closing(response):
            return [b"".join(response)]


def _read_body(environ: dict[str, Any]) -> str:
    """Read the body and state its length; return the status of a refusal, or "".

    One that is too long may stay incomplete: `BodyLimitMiddleware` or Django refuses its length.
    """
    source, limit = environ["wsgi.input"], settings.API_BODY_LIMIT_BYTES
    environ["wsgi.input"] = io.BytesIO()
    stated = environ.get("CONTENT_LENGTH")
    uploads = settings.UPLOAD_LIMITS
    longest = uploads.get(environ["PATH_INFO"], settings.DATA_UPLOAD_MAX_MEMORY_SIZE) + 1
    length = longest if stated is None else int(stated)
    if length > longest or (stated is None and "HTTP_TRANSFER_ENCODING" not in environ):
        return ""
    body = source.read(min(length, limit + 1))
    if len(body) > limit:
        if _long_body.acquire(blocking=False):
            try:
                body += source.read(length - len(body))
            finally:
                _long_body.release()
        elif environ["PATH_INFO"].startswith(_FORMS):
            return "503 Service Unavailable"
        else:
            length = len(body)
    if stated is None:  # in chunks; Django reads an absent length as 0
        environ["CONTENT_LENGTH"] = str(len(body))
    elif len(body) < length:
        return "400 Bad Request"
    environ["wsgi.input"] = io.BytesIO(body)
    return ""


django.setup(set_prefix=False)
import_module(settings.ROOT_URLCONF)  # else each process loads all views for its first request
keep_connections()
application = WholeBodyHandler()


def start_application() -> WholeBodyHandler:
    """Return the application to a process that the web server has forked, measured and logged."""
    REQUEST_THREADS.set(settings.DATABASE_POOL_SIZE)
    exposition.serve_from_web_process()
    if settings.REQUEST_LOG_ENABLED:
        REQUEST_LOG.start()
    return application
