"""The request log in the back office: what an organisation's keys sent and read, without values."""

from http import HTTPStatus

from django.contrib import admin

from exchange.admin.base import SafeAdmin
from exchange.admin.columns import column, link_column, time_column
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    day_range,
    id_filter,
)
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.requests.models import LoggedRequest, ReadCount

_METHODS = [(name, name) for name in ("POST", "PUT", "PATCH", "DELETE", "GET")]


class RequestListFilters(ListFilters):
    result = OptionFilter(
        "result",
        ("refused", "Refused", lambda rows: rows.filter(status_code__gte=400)),
        ("accepted", "Accepted", lambda rows: rows.filter(status_code__lt=400)),
    )
    method__exact = ChoiceFilter("method", _METHODS, title="method")
    organisation_name = OrganisationNameFilter()
    day_from, day_to = day_range()
    organisation = id_filter("organisation")
    key = id_filter("key")


@admin.register(LoggedRequest)
class LoggedRequestAdmin(SafeAdmin):
    reads_replica = True
    list_display = (
        "created", "organisation", "key_display", "method", "path", "result",
        "fields_display", "duration",
    )  # fmt: skip
    filters = RequestListFilters
    list_select_related = ("organisation", "key")
    search_fields = ("=request_id", "=code")
    id_fields = ("pk", "organisation_id", "key_id")
    search_help_text = "Request ID, error code, or the ID of an entry, organisation or API key"
    long = True
    # Ids follow time and are indexed.
    ordering = ("-id",)
    fields = (
        "created", "organisation_display", "key_display", "method", "path", "result",
        "fields_display", "duration", "request_id",
    )  # fmt: skip

    created = time_column("time (UTC)", "created_at", ordering="id")
    organisation_display = link_column("organisation", "organisation")
    key_display = column("API key", lambda request: request.key.name)
    result = column(
        "result",
        lambda request: (
            f"{request.status_code} {request.code or HTTPStatus(request.status_code).phrase}"
        ),
        ordering="status_code",
    )
    fields_display = column("fields refused", lambda request: ", ".join(request.fields) or "-")
    duration = column("took (ms)", lambda request: f"{request.milliseconds:,}")


class ReadListFilters(ListFilters):
    organisation_name = OrganisationNameFilter()
    # The first read of an hour makes the row: its id may be of the next one.
    day_from, day_to = day_range("hour_at", id_column="")
    organisation = id_filter("organisation")
    key = id_filter("key")


@admin.register(ReadCount)
class ReadCountAdmin(SafeAdmin):
    reads_replica = True
    list_note = "Successful reads of 30 days. Writes and refusals are under API requests."
    list_display = ("hour", "organisation", "key_display", "path", "count_display")
    filters = ReadListFilters
    list_select_related = ("organisation", "key")
    search_fields = ("organisation__name", "=path")
    id_fields = ("pk", "organisation_id", "key_id")
    search_help_text = "Organisation, path, or the ID of an organisation or API key"
    long = True
    # Ids follow time and are indexed.
    ordering = ("-id",)
    fields = ("hour", "organisation_display", "key_display", "path", "count_display")

    hour = time_column("hour from (UTC)", "hour_at", ordering="hour_at")
    organisation_display = link_column("organisation", "organisation")
    key_display = column("API key", lambda reads: reads.key.name)
    count_display = column("reads", lambda reads: f"{reads.count:,}", ordering="count")
