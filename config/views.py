"""The landing page and the health check."""

from __future__ import annotations

from django.db import connection
from django.db.utils import OperationalError
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.back_office.site import with_security_policy


@require_safe
def landing_page(request: HttpRequest) -> HttpResponseBase:
    """Show links to the documentation and the back office."""
    return with_security_policy(render(request, "landing.html"))


@require_safe
def health(_request: HttpRequest) -> JsonResponse:
    """Return 200 if this process reaches its database, else 503; for load balancers and `up`."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError:
        return JsonResponse({"status": "unavailable"}, status=503)
    return JsonResponse({"status": "ok"})
