"""Error pages for browsers, with the headers of every page of the back office.

The API has its own error responses (`exchange.api.exceptions`, `exchange.api.middleware`).
"""

import sys
from typing import Any

import structlog
from django.contrib import admin
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template import loader

from config.back_office.site import with_security_policy
from exchange.core.database import is_unavailable
from exchange.core.errors import NotReady

logger = structlog.get_logger(__name__)


def bad_request(_request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 400; it says so where the body is too large."""
    too_large = isinstance(exception, RequestDataTooBig)
    return _error_page("400_too_large.html" if too_large else "400.html", 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 403."""
    return _error_page("403.html", 403, request)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Return the page for a form without a valid CSRF token (403)."""
    return _error_page("403_csrf.html", 403, request)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 404."""
    return _error_page("404.html", 404, request)


def server_error(_request: HttpRequest) -> HttpResponseBase:
    """Return the page for status 500, or 503 when a dependency is unavailable."""
    # Django calls this while it handles the exception.
    error = sys.exc_info()[1]
    if is_unavailable(error) or isinstance(error, NotReady):
        response = _error_page("503.html", 503)
        response["Retry-After"] = "5"
        return response
    return _error_page("500.html", 500)


def _error_page(template: str, status: int, request: HttpRequest | None = None) -> HttpResponseBase:
    """Return the page of `template`, without styles where the static files are missing.

    With `request`, signed-in staff see it within the back office, with its menu.
    """
    try:
        page = loader.render_to_string(template, _back_office_context(request), request)
    except (ValueError, OSError) as error:
        # Storages raise ValueError for a file that was not collected.
        logger.error("error_page.unstyled", error=str(error))  # noqa: TRY400 - the text suffices
        page = loader.render_to_string(template, {"layout": "error_unstyled.html"})
    return with_security_policy(HttpResponse(page, status=status))


def _back_office_context(request: HttpRequest | None) -> dict[str, Any]:
    """Return the context of a page of the back office; empty outside of it."""
    # An error before the session was read leaves no user.
    if request is None or not hasattr(request, "user") or not admin.site.has_permission(request):
        return {}
    return {**admin.site.each_context(request), "layout": "admin/base_site.html"}
