"""Error pages for browsers, with the headers of every page of the back office.

The API has its own error responses (`exchange.api.exceptions`, `exchange.api.middleware`).
"""

from __future__ import annotations

import sys

import structlog
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template import loader

from config.back_office.site import with_security_policy
from exchange.core.database import is_unavailable
from exchange.core.errors import NotReady

logger = structlog.get_logger(__name__)


def bad_request(_request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 400."""
    return _error_page("400.html", 400)


def permission_denied(_request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 403."""
    return _error_page("403.html", 403)


def csrf_failed(_request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Return the page for a form without a valid CSRF token (403)."""
    return _error_page("403_csrf.html", 403)


def page_not_found(_request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 404."""
    return _error_page("404.html", 404)


def server_error(_request: HttpRequest) -> HttpResponseBase:
    """Return the page for status 500, or 503 when a dependency is unavailable."""
    # Django calls this while it handles the exception.
    error = sys.exc_info()[1]
    if is_unavailable(error) or isinstance(error, NotReady):
        response = _error_page("503.html", 503)
        response["Retry-After"] = "5"
        return response
    return _error_page("500.html", 500)


def _error_page(template: str, status: int) -> HttpResponseBase:
    """Return the page of `template`, without styles where the static files are missing."""
    try:
        page = loader.render_to_string(template)
    except (ValueError, OSError) as error:
        # Storages raise ValueError for a file that was not collected.
        logger.error("error_page.unstyled", error=str(error))  # noqa: TRY400 - the text suffices
        page = loader.render_to_string(template, {"layout": "error_unstyled.html"})
    return with_security_policy(HttpResponse(page, status=status))
