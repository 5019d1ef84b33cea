"""Metrics and one log line of every request."""

import time

import structlog
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch

from exchange.api.middleware import Middleware
from exchange.core.metrics import REQUEST_SECONDS, REQUESTS, REQUESTS_IN_PROGRESS

logger = structlog.get_logger(__name__)

# Addresses that no route matches would be any number of labels, and so would invented methods.
_UNMATCHED = "unmatched"
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_MAX_ID = 80


class RequestMetricsMiddleware(Middleware):
    """Counts and times requests by route template, and logs each without its path and query.

    Paths and queries may hold what does not belong in a log: links of invitations, searches for
    account numbers. The line has the ids of the route instead.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started_at = time.monotonic()
        with REQUESTS_IN_PROGRESS.track_inprogress():
            response = self.get_response(request)
        seconds = time.monotonic() - started_at
        match = request.resolver_match
        route = match.route if match else _UNMATCHED
        method = request.method if request.method in _METHODS else "other"
        REQUESTS.labels(method, route, response.status_code).inc()
        REQUEST_SECONDS.labels(method, route).observe(seconds)
        logger.info(
            "request",
            method=method,
            route=route,
            status=response.status_code,
            milliseconds=round(seconds * 1000),
            **_record_ids(match),
        )
        return response


def _record_ids(match: ResolverMatch | None) -> dict[str, str]:
    """Return the ids in the path, by name; never the token of an invitation."""
    found = match.kwargs.items() if match else ()
    return {name: str(value)[:_MAX_ID] for name, value in found if name.endswith("_id")}
