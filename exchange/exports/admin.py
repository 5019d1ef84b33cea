"""Export pages: the form to export a list, and the exports with their files.

A list becomes exportable with `Exportable` as its first base and a source named after its model.
Requesting an export is a POST, as it is recorded; downloading a file is a GET.
"""

from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    QueryDict,
    StreamingHttpResponse,
)
from django.template.defaultfilters import filesizeformat
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, staff_of
from exchange.admin.columns import column, status_column, time_column
from exchange.admin.custom_pages import CustomPageAdmin
from exchange.admin.display import format_time, record_url, status_badge
from exchange.admin.fields import DatePickerField
from exchange.admin.forms import bind_form
from exchange.admin.progress import Progress, progress_response
from exchange.core.errors import InvalidRequest, NotFound
from exchange.exports import services as exports
from exchange.exports.models import Export, ExportStatus
from exchange.exports.selectors import get_readable_exports, read_file
from exchange.exports.sheets import CSV, FILE_FORMATS, MEDIA_TYPES
from exchange.exports.sources import DateRange, Source, get_source
from exchange.staff.models import StaffUser

# Query parameters of a list that are not filters.
_PAGE_PARAMETERS = ("p", "e", "all", "_popup", "_to_field", "_changelist_filters")
_PENDING = {ExportStatus.WAITING, ExportStatus.RUNNING}


class FileFormatForm(forms.Form):
    """The file format."""

    form = forms.ChoiceField(
        label="File", choices=list(FILE_FORMATS.items()), initial=CSV, widget=forms.RadioSelect
    )


class ExportForm(FileFormatForm):
    """The file format and the days."""

    first = DatePickerField(label="From day", required=False, help_text="UTC. Empty: no limit")
    last = DatePickerField(label="To day", required=False, help_text="UTC, inclusive. Empty: today")


class Exportable(SafeAdmin):
    """A list that can export its filtered rows."""

    reads_replica = True

    @property
    def export_source(self) -> Source:
        """The export source of the list."""
        return get_source(self.opts.label_lower)

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("export/", "export", self.export, only_post=False),
            *super().get_urls(),
        ]

    def get_preserved_filters(self, request: HttpRequest) -> str:
        """Preserve the list's filter, which is the query string of the export page."""
        match = request.resolver_match
        if match is None or match.url_name != self.url_name("export"):
            return super().get_preserved_filters(request)
        query = extract_filter(request.GET)
        return urlencode({"_changelist_filters": query}) if query else ""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list with a link to its export."""
        more = dict(extra_context or {})
        if self.may(request, exports.EXPORT_PERMISSION) and self.has_view_permission(request):
            query = extract_filter(request.GET)
            more["export_url"] = f"{self.address('export')}{'?' if query else ''}{query}"
        return super().changelist_view(request, more)

    def export(self, request: HttpRequest) -> HttpResponseBase:
        """Ask for the file format; then return the file, or redirect to its progress page."""
        if not (self.may(request, exports.EXPORT_PERMISSION) and self.has_view_permission(request)):
            raise PermissionDenied
        query, source = extract_filter(request.GET), self.export_source
        try:
            rows, filter_text = source.select(staff_of(request), query, DateRange())
        except InvalidRequest as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(self.address("changelist"))
        count = exports.estimate_rows(rows, staff_of(request))
        name = str(self.opts.verbose_name if count == 1 else self.opts.verbose_name_plural)
        form = bind_form(request, ExportForm if source.has_days else FileFormatForm)
        return self.form_page(
            request,
            form,
            partial(start_and_respond, request, source.name, query),
            title=f"Export {self.opts.verbose_name_plural}",
            submit="Export",
            note=f"{count:,} {name}. Filter: {filter_text or 'none'}. Files of up to"
            f" {exports.DIRECT_ROWS:,} rows download immediately; larger files are prepared in the"
            " background. Exports are recorded.",
        )


def start_and_respond(
    request: HttpRequest, source: str, query: str, data: dict[str, Any]
) -> HttpResponseBase:
    """Start the export, and respond with the file or a redirect to its progress page."""
    export, file = exports.start_export(
        source=source,
        query=query,
        span=DateRange(data.get("first"), data.get("last")),
        form=data["form"],
        user=staff_of(request),
    )
    if file is None:
        return HttpResponseRedirect(record_url(export))
    return _as_download(FileResponse(file), export)


def extract_filter(query: QueryDict) -> str:
    """Return the filter and order of a list's query string."""
    filters = query.copy()
    for name in _PAGE_PARAMETERS:
        filters.pop(name, None)
    return filters.urlencode()


def _as_download(response: HttpResponseBase, export: Export) -> HttpResponseBase:
    response["Content-Type"] = MEDIA_TYPES[export.form]
    response["Content-Disposition"] = f'attachment; filename="{export.file_name}"'
    response["Content-Length"] = str(export.size_bytes)
    response["X-Content-Type-Options"] = "nosniff"
    return response


@admin.register(Export)
class ExportAdmin(CustomPageAdmin):
    record_pages = ("download", "progress")
    owners_only = True
    list_display = (
        "file_name",
        "state_display",
        "filter_display",
        "rows_display",
        "requested_by",
        "requested_at",
    )
    list_filter = ("status", "form", "source", "created_at")
    search_fields = ("file_name", "filter_words", "requested_by__username")
    search_help_text = "File name, filter, or the person who requested it"

    state_display = status_column()
    filter_display = column(
        "filter", lambda export: export.filter_words or "-", ordering="filter_words"
    )
    rows_display = column("rows", lambda export: f"{export.rows_done:,}", ordering="rows_done")
    requested_at = time_column("requested (UTC)", "created_at", ordering="created_at")

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        """Return one's own exports; all exports for auditors."""
        return get_readable_exports(user)

    def record_page(self, request: HttpRequest, export: Export, /) -> HttpResponse:
        """Show the export, its progress and its file."""
        days = f"{export.first_day or 'start'} to {export.last_day or 'latest'}"
        facts = [
            ("List", export.title),
            ("Filter", export.filter_words or "none"),
            ("Days (UTC)", days if export.first_day or export.last_day else "all"),
            ("Format", export.get_form_display()),
            ("Requested by", export.requested_by),
            ("Requested (UTC)", format_time(export.created_at)),
            ("As of (UTC)", format_time(export.as_of) if export.as_of else "-"),
            ("Rows", f"{export.rows_done:,}"),
            ("Size", filesizeformat(export.size_bytes) if export.size_bytes else "-"),
        ]
        return self.page(
            request,
            "admin/exchange/export/page.html",
            export.file_name,
            record=export,
            facts=facts,
            export=export,
            state_display=status_badge(export.status),
            ready=export.status == ExportStatus.READY,
            reason=exports.describe_missing_file(export),
            progress=self.progress_of(export),
            rows=f"{export.rows_done:,}",
        )

    def progress(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Return the progress for the page's script."""
        return progress_response(self.progress_of(self.record(request, object_id)))

    def progress_of(self, obj: Export) -> Progress | None:
        """Return the progress of a file that is not finished."""
        if obj.status not in _PENDING:
            return None
        total = max(obj.about_rows, obj.rows_done)
        text = f"{obj.rows_done:,} of about {total:,} rows"
        waiting = obj.status == ExportStatus.WAITING
        url = self.address("progress", obj.pk)
        return Progress(url, "Queued" if waiting else text, obj.rows_done, total)

    def download(self, request: HttpRequest, object_id: UUID) -> HttpResponseBase:
        """Download the file."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        export: Export = self.record(request, object_id)
        if export.status != ExportStatus.READY:
            messages.error(request, NotFound("There is no file to download").message)
            return self.redirect_to_record(export.pk)
        return _as_download(StreamingHttpResponse(read_file(export)), export)
