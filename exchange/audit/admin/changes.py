"""Pages of the audit log: filtered list, single change, and CSV export."""

import csv
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseRedirect, StreamingHttpResponse
from django.urls import URLPattern
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.columns import column
from exchange.admin.display import format_time
from exchange.admin.fields import DatePickerField
from exchange.audit import selectors as audit
from exchange.audit.admin.history import column_label, format_value, source_label
from exchange.core.models import Change, ChangeOperation
from exchange.core.text import neutralize
from exchange.staff.models import StaffUser

_MAX_PEOPLE = 200
_MAX_COLUMNS = 6
_FULL_LENGTH = 20_000
_ACTOR_KINDS = {
    "staff": "Any back-office user",
    "api_key": "Any API key",
    "system": "System",
    "database": "Direct SQL",
    "visitor": "Visitor (not signed in)",
}
_HEADINGS = (
    *("when_utc", "who", "actor", "through", "database_user", "application", "operation"),
    *("record_kind", "table", "record_id", "about_id", "before", "after"),
)
_to_json = msgspec.json.Encoder(decimal_format="number").encode


class ActorFilter(admin.SimpleListFilter):
    """A kind of actor or one user. For one API key, search for its id."""

    title = "actor"
    parameter_name = "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        people = StaffUser.objects.order_by("username")[:_MAX_PEOPLE]
        return [*_ACTOR_KINDS.items(), *((f"staff:{user.pk}", str(user)) for user in people)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen in _ACTOR_KINDS:
            return queryset.filter(actor__startswith=f"{chosen}:")
        return queryset.filter(actor=chosen) if chosen else queryset


class RecordTypeFilter(admin.SimpleListFilter):
    """The type of record."""

    title = "record type"
    parameter_name = "table"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return audit.audited_tables()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return queryset.filter(table=chosen) if chosen else queryset


_PERIOD_DAY = DatePickerField(required=False)


class PeriodFilter(admin.ListFilter):
    """An inclusive range of UTC days; both ends are optional."""

    title = "day"
    template = "admin/period_filter.html"
    names = ("from", "to")

    def __init__(
        self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any
    ) -> None:
        super().__init__(request, params, model, model_admin)
        for name in self.names:
            value = params.pop(name, "")
            self.used_parameters[name] = value[-1] if isinstance(value, list) else value

    def has_output(self) -> bool:
        return True

    def expected_parameters(self) -> list[str | None]:
        return list(self.names)

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        yield {
            "from": self._text("from"),
            "to": self._text("to"),
            "others": [
                (name, value)
                for name, value in changelist.params.items()
                if name not in {*self.names, "p"}
            ]
            + ([("q", changelist.query)] if changelist.query else []),
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        try:
            first, last = map(_PERIOD_DAY.clean, (self._text("from"), self._text("to")))
        except ValidationError:
            return queryset.none()
        # By ids, which follow time and order the list.
        if first:
            queryset = queryset.filter(id__gte=audit.first_id_at(_midnight(first)))
        if last:
            queryset = queryset.filter(
                id__lt=audit.first_id_at(_midnight(last) + timedelta(days=1))
            )
        return queryset

    def _text(self, name: str) -> str:
        return str(self.used_parameters.get(name) or "")


@admin.register(Change)
class ChangeAdmin(SafeAdmin):
    reads_replica = True
    list_display = ("when", "who", "heading", "record_display", "columns", "way")
    list_filter = (ActorFilter, "operation", RecordTypeFilter, PeriodFilter)
    search_fields = ("record_id",)
    search_help_text = (
        "Exact reference, ID, username, client ID, payee, account number or organisation name"
    )
    labels = {"via": "source", "actor": "actor ID", "about_id": "related record ID"}
    ordering = ("-id",)
    sortable_by = ()
    change_list_template = "admin/exchange/change/change_list.html"
    fields = (
        "when", "who", "actor", "via", "database_user", "application", "operation", "kind",
        "record_display", "about_id",
    )  # fmt: skip

    when = column("time (UTC)", lambda change: format_time(change.at))

    @admin.display(description="actor")
    def who(self, change: Change) -> str:
        known: str | None = getattr(change, "actor_in_words", None)
        return known or audit.actor_names([change])[0]

    kind = column("record type", lambda change: audit.record_label(change.table))

    @admin.display(description="record")
    def record_display(self, change: Change) -> str:
        return _record_link(change)

    way = column("source", source_label)

    @admin.display(description="change")
    def heading(self, obj: Change) -> str:
        return f"{audit.record_label(obj.table)} {obj.get_operation_display().lower()}"

    @admin.display(description="changed columns")
    def columns(self, change: Change) -> str:
        names = [column_label(name) for name, _, _ in audit.changed_columns(change)]
        more = len(names) - _MAX_COLUMNS
        return ", ".join(names[:_MAX_COLUMNS]) + (f" and {more} more" if more > 0 else "")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, "exchange.view_change")

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("export/", "export", self.export, only_post=False),
            *super().get_urls(),
        ]

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list with its actor names loaded in one query."""
        found = super().get_changelist_instance(request)
        rows = list(found.result_list)
        for change, name in zip(rows, audit.actor_names(rows), strict=True):
            change.actor_in_words = name
        found.result_list = rows
        return found

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Search indexed columns: records and actors by id or exact name, and request ids."""
        ids = [term, *audit.find_record_ids(term)]
        found = Q(record_id__in=ids) | Q(about_id__in=ids) | Q(via__in=[term, f"request:{term}"])
        actors = [f"{kind}:{record_id}" for kind in ("api_key", "staff") for record_id in ids]
        return rows.filter(found | Q(actor__in=[term, *actors]))

    def sections(self, request: HttpRequest, obj: Change) -> list[Section]:
        names = audit.referenced_names([obj])

        def display(value: Any) -> str:
            name = names.get(str(value))
            return f"{name}, {value}" if name else format_value(value, _FULL_LENGTH)

        rows = [
            (column_label(name), display(was), display(now))
            for name, was, now in audit.changed_columns(obj)
        ]
        return [Section("Changed columns", ("Column", "Before", "After"), rows, empty="None")]

    def export(self, request: HttpRequest) -> Any:
        """Stream all rows of the filtered list as CSV."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            found = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            messages.error(request, "A filter of the list is not valid")
            return HttpResponseRedirect(self.address("changelist"))
        name = f"audit-{timezone.now():%Y%m%d-%H%M%S}.csv"
        return StreamingHttpResponse(
            _csv_lines(found),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def _record_link(change: Change) -> SafeString | str:
    """Return the record id, linked unless its page is open to its owner only."""
    model = audit.table_model(change.table)
    page = admin.site._registry.get(model) if model else None
    if not isinstance(page, SafeAdmin) or page.owners_only or not change.record_id:
        return change.record_id
    return format_html(
        '<a href="{}">{}</a>', page.address("change", change.record_id), change.record_id
    )


class _Echo:
    """A file-like object for csv that returns each line."""

    def write(self, line: str) -> str:
        return line


def _csv_lines(found: QuerySet[Change]) -> Iterator[str]:
    writer: Any = csv.writer(_Echo())
    yield writer.writerow(_HEADINGS)
    for piece in audit.iterate_batches(found):
        for change, name in zip(piece, audit.actor_names(piece), strict=True):
            yield writer.writerow([neutralize(cell) for cell in _cells(change, name)])


def _cells(change: Change, name: str) -> list[str]:
    return [
        change.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f"),
        *(name, change.actor, change.via, change.database_user, change.application),
        *(ChangeOperation(change.operation).label, audit.record_label(change.table), change.table),
        *(change.record_id, change.about_id),
        *(
            "" if part is None else _to_json(part).decode()
            for part in (change.before, change.after)
        ),
    ]


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
