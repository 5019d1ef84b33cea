"""The WSGI application; imports Celery, so that requests can notify workers."""

from __future__ import annotations

from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters

from config.celery import app as celery_app

__all__ = ["application", "celery_app"]


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


class Utf8Handler(WSGIHandler):
    """Django's application with these requests."""

    request_class = Utf8Request


django.setup(set_prefix=False)
application = Utf8Handler()
