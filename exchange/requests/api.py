"""`/v1/api/requests`: the request log of an organisation."""

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.operations import RecordPage, operation
from exchange.api.viewsets import ApiViewSet
from exchange.requests.filters import ReadFilters, RequestFilters
from exchange.requests.models import LoggedRequest, ReadCount
from exchange.requests.payloads import LOGGED_REQUEST, READ_COUNT
from exchange.requests.selectors import (
    counted_reads,
    logged_requests,
    read_counts,
    read_requests,
)


class RequestViewSet(ApiViewSet):
    """The logged requests of the caller's keys."""

    tag = "Requests"
    filterset_class = RequestFilters
    sort_fields: ClassVar = {"createdAt": "created_at"}
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[LoggedRequest]:
        """Return the caller's logged requests."""
        return logged_requests(self.caller.organisation_id)

    @operation(
        "Requests retrieved",
        scope="webhooks:manage",
        response=RecordPage(LOGGED_REQUEST, "requests"),
    )
    def list(self, _request: Request) -> Response:
        """List the requests of your keys. Writes, and requests that were refused, of 30 days,
        newest first; without bodies, values and queries. They appear within a few seconds.
        """
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found, read_requests)


class ReadViewSet(ApiViewSet):
    """The counts of the caller's successful reads."""

    tag = "Requests"
    filterset_class = ReadFilters
    sort_fields: ClassVar = {"hour_at": "hour_at"}
    default_sort = "-hour_at"

    def get_queryset(self) -> QuerySet[ReadCount]:
        """Return the caller's counts."""
        return counted_reads(self.caller.organisation_id)

    @operation("Reads retrieved", scope="webhooks:manage", response=RecordPage(READ_COUNT, "reads"))
    def list(self, _request: Request) -> Response:
        """List the successful reads of your keys. How many of each key, address and hour, of 30
        days, newest first.
        """
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found, read_counts)
