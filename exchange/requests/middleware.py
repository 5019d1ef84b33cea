"""Logs each request of the API: writes and refusals one by one, other reads as counts."""

import re
import time
from datetime import UTC, datetime
from functools import lru_cache

import structlog
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch

from exchange.api.middleware import Middleware, is_api_request
from exchange.core.ids import uuid7
from exchange.requests.recording import REQUEST_LOG, ReadKey, RequestEntry

_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_METHODS = _READS | {"POST", "PUT", "PATCH", "DELETE"}
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
# What `parse_id` accepts, in a tenth of its time.
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


class RequestLogMiddleware(Middleware):
    """Logs what a known key sent: without one it belongs to no organisation."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.REQUEST_LOG_ENABLED or not is_api_request(request):
            return self.get_response(request)
        started, started_at = time.monotonic(), datetime.now(UTC)
        response = self.get_response(request)
        # Bound by authentication, also where it refuses an expired token of a known key.
        context = structlog.contextvars.get_contextvars()
        if "key_id" in context and request.resolver_match:
            organisation, key = context["organisation_id"], context["key_id"]
            template = to_template(request.resolver_match.route)
            if request.method in _READS and response.status_code < 400:
                hour = started_at.replace(minute=0, second=0, microsecond=0)
                REQUEST_LOG.count_read(ReadKey(organisation, key, template, hour))
            else:
                REQUEST_LOG.add_request(
                    RequestEntry(
                        id=uuid7(),
                        organisation_id=organisation,
                        key_id=key,
                        method=request.method if request.method in _METHODS else "other",
                        path=fill_template(template, request.resolver_match),
                        status_code=response.status_code,
                        code=response.get("X-Error-Code", ""),
                        fields=getattr(response, "refused_fields", []),
                        request_id=context["request_id"],
                        milliseconds=round((time.monotonic() - started) * 1000),
                        created_at=started_at,
                    )
                )
        return response


@lru_cache(maxsize=1024)
def to_template(route: str) -> str:
    """Return the path of Django's route, with the names of its parameters in braces."""
    return "/" + _PARAMETER.sub(r"{\1}", route)


def fill_template(template: str, match: ResolverMatch) -> str:
    """Return the path with the ids of records; a text of the client's own stays a name."""
    for name, value in match.kwargs.items():
        record_id = str(value).lower()
        if _ID.fullmatch(record_id):
            template = template.replace(f"{{{name}}}", record_id)
    return template
