"""The landing page and the health checks."""

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config import health
from config.back_office.site import with_security_policy
from exchange.core.currencies import WALLET_CURRENCIES


@require_safe
def landing_page(request: HttpRequest) -> HttpResponseBase:
    """Show links to the documentation and the back office."""
    *others, last = WALLET_CURRENCIES
    texts = {"currencies": f"{', '.join(others)} and {last}"}
    return with_security_policy(render(request, "landing.html", texts))


@require_safe
def liveness(_request: HttpRequest) -> JsonResponse:
    """Return 200 while this process responds; a supervisor restarts one that does not."""
    return JsonResponse({"status": health.OK})


@require_safe
def readiness(_request: HttpRequest) -> JsonResponse:
    """Return 200 if this process can serve requests, else 503, with the result of each check."""
    results = health.readiness()
    status = health.status_of(results)
    code = 503 if status == health.UNAVAILABLE else 200
    return JsonResponse({"status": status, "checks": results}, status=code)
