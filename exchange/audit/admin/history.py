"""The history of a record, on its page and on a separate page, for users with audit access."""

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.admin.base import SafeAdmin
from exchange.admin.display import format_time, list_url
from exchange.admin.panels import Panel
from exchange.audit import selectors as audit
from exchange.core.models import Change, ChangeOperation
from exchange.core.numbers import format_grouped

VIEW_AUDIT = "exchange.view_change"
HEADINGS = ("Time (UTC)", "Actor", "Change", "Before", "After", "Source")
_RECENT_LIMIT = 10
_FULL_LIMIT = 200
_MAX_LENGTH = 120
_MAX_COLUMNS = 12
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$")


class HistoryPanel(Panel):
    """The latest changes of a record on its page, and its full history on a separate page."""

    tab = "Activity"

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[dict[str, Any]]:
        """Return the latest changes of `record`; changes themselves have no history."""
        address = self._address(page, request, record)
        if not address or isinstance(record, Change):
            return []
        changes = audit.history(*_ids(page, record), limit=_RECENT_LIMIT)
        url = f"{address}{page.preserved_context(request)['preserved_query']}"
        return [section(changes, more={"label": "View full history", "url": url})]

    def context(self, page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
        """Return the URL of the full history of `record`."""
        return {"history": self._address(page, request, record)}

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of the full history, which replaces Django's."""
        view = partial(self._view, page)
        return [page.action_url("<path:object_id>/history/", "history", view, only_post=False)]

    def _address(self, page: SafeAdmin, request: HttpRequest, record: Any) -> str:
        """Return the URL of the full history; empty without permission."""
        if not page.may(request, VIEW_AUDIT):
            return ""
        return page.address("history", record.pk)

    def _view(self, page: SafeAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show every change of the record."""
        record = page.record(request, object_id, VIEW_AUDIT)
        changes = audit.history(*_ids(page, record), limit=_FULL_LIMIT)
        found = list_url("exchange_change", q=str(record.pk))
        more = {"label": "Search the audit log", "url": found}
        return page.page(
            request,
            "admin/history.html",
            "History",
            record=record,
            subtitle=page.heading(record),
            sections=[section(changes, more, title="All changes, newest first")],
            history="",
        )


def _ids(page: SafeAdmin, record: Any) -> list[object]:
    """Return the ids whose changes, and changes about them, form the history of `record`."""
    return [record.pk, *(getattr(record, name) for name in page.linked_columns)]


def section(
    changes: Sequence[Change], more: dict[str, str] | None = None, title: str = "History"
) -> dict[str, Any]:
    """Return `changes` as a table section."""
    people, names = audit.actor_names(changes), audit.referenced_names(changes)
    return {
        "title": title,
        "look": "history",
        "headings": HEADINGS,
        "rows": [
            row
            for change, name in zip(changes, people, strict=True)
            for row in rows(change, name, names)
        ],
        "right": (),
        "empty": "No changes recorded.",
        "more": more,
    }


def rows(change: Change, name: str, names: Mapping[str, str]) -> list[tuple[object, ...]]:
    """Return a row per changed column, or one row for a created or removed record.

    `names` maps referenced ids to names.
    """

    def display(value: Any) -> str:
        return names.get(str(value)) or format_value(value)

    what = audit.record_label(change.table)
    if change.operation == ChangeOperation.UPDATE:
        cells = [
            (f"{what}: {column_label(column)}", display(was), display(now))
            for column, was, now in audit.changed_columns(change)
        ]
    else:
        done = f"{what} {change.get_operation_display().lower()}"
        before, after = (_format_columns(each, names) for each in (change.before, change.after))
        cells = [(done, before, after)]
    return [(format_time(change.at), name, *row, source_link(change)) for row in cells]


def column_label(column: str) -> str:
    """Return the label of a column."""
    return column.removesuffix("_id").replace("_", " ")


def format_value(value: Any, longest: int = _MAX_LENGTH) -> str:
    """Format a value for display, truncated; times to the second."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | Decimal):
        return format_grouped(Decimal(value))
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if _INSTANT.match(text):
        return f"{text[:10]} {text[11:19]} UTC"
    return text if len(text) <= longest else f"{text[:longest]}…"


def source_link(change: Change) -> SafeString:
    """Return the source of a change, linked to its page."""
    address = reverse("admin:exchange_change_change", args=[change.pk])
    return format_html('<a href="{}">{}</a>', address, source_label(change))


def source_label(change: Change) -> str:
    """Return the source: request, task, command or database user."""
    return "request" if change.via.startswith("request:") else change.via or change.database_user


def _format_columns(columns: dict[str, Any] | None, names: Mapping[str, str]) -> str:
    if not columns:
        return "-"
    texts = [
        f"{column_label(name)}: {names.get(str(value)) or format_value(value, 60)}"
        for name, value in columns.items()
        if name != "id"
    ]
    rest = len(texts) - _MAX_COLUMNS
    return ", ".join(texts[:_MAX_COLUMNS]) + (f" and {rest} more" if rest > 0 else "")
