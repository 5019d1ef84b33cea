"""Query parameters of the request log."""

import django_filters

from exchange.api.filters import (
    DatedFilters,
    EnumeratedFilter,
    FromFilter,
    IdFilter,
    TextFilter,
    ToFilter,
)


class RequestFilters(DatedFilters):
    """Logged requests by key, method, error, request id and time."""

    key_id = IdFilter(help_text="ID of the API key")
    method = EnumeratedFilter(
        allowed=("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"),
        help_text="HTTP method",
    )
    code = TextFilter(max_length=60, help_text="The whole `X-Error-Code`")
    request_id = TextFilter(max_length=128, help_text="The whole `X-Request-ID`")


class ReadFilters(django_filters.FilterSet):
    """Counts of reads by key and hour."""

    key_id = IdFilter(help_text="ID of the API key")
    hour_from = FromFilter("hour_at")
    hour_to = ToFilter("hour_at")
