"""What a browser gets where no page answered: nothing there, not allowed, a fault.

The API's own errors never come here (`exchange.api.exceptions`), and what it cannot answer itself
is brought into its envelope afterwards (`exchange.api.middleware`).
"""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views import defaults

from exchange.errors import NotReady


def fault(request: HttpRequest) -> HttpResponse:
    """500, or 503 when something we depend on is out of reach and the request may be repeated."""
    # Django calls this while it handles what was raised.
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError | NotReady):
        page = loader.render_to_string("503.html")
        return HttpResponse(page, status=503, headers={"Retry-After": "5"})
    return defaults.server_error(request)
