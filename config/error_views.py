"""Error pages for browsers, with the headers of every page of the back office.

The API has its own error responses (`exchange.api.exceptions`, `exchange.api.middleware`).
"""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template import loader
from django.views import defaults
from django.views.csrf import csrf_failure

from config.back_office.site import with_security_policy
from exchange.core.database import is_unavailable
from exchange.core.errors import NotReady


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 400."""
    return with_security_policy(defaults.bad_request(request, exception))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 403."""
    return with_security_policy(defaults.permission_denied(request, exception))


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Return the page for a form without a valid CSRF token (403)."""
    return with_security_policy(csrf_failure(request, reason))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for status 404."""
    return with_security_policy(defaults.page_not_found(request, exception))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Return the page for status 500, or 503 when a dependency is unavailable."""
    # Django calls this while it handles the exception.
    error = sys.exc_info()[1]
    if is_unavailable(error) or isinstance(error, NotReady):
        page = loader.render_to_string("503.html")
        out_of_reach = HttpResponse(page, status=503, headers={"Retry-After": "5"})
        return with_security_policy(out_of_reach)
    return with_security_policy(defaults.server_error(request))
