"""The history of a record, on its page and on a page of its own. Shown to whoever may view the
audit; changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.admin.kept_filters import KeptFilters
from exchange.admin.show import moment
from exchange.audit import selectors as audit
from exchange.audit.models import Change, Operation
from exchange.core.ids import parse_id
from exchange.core.numbers import plain
from exchange.exports.models import Export
from exchange.participants.models import ApiKey
from exchange.staff.models import StaffUser

VIEW_AUDIT = "exchange.view_change"
HEADINGS = ("When (UTC)", "Who", "What", "Before", "After", "Through")
_ON_THE_PAGE = 10
_ON_ITS_OWN = 200
_LONGEST = 120
_COLUMNS_TOLD = 12
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$")

# Columns of a model that name another record whose changes belong to its history.
also_in_history: dict[type[Model], tuple[str, ...]] = {}


class HistoryPages(KeptFilters):
    """For a ModelAdmin: the history of each of its records."""

    def heading(self, obj: Any) -> str:
        """What the page of `obj` is called."""
        return str(obj)

    def history_ids(self, obj: Any) -> list[object]:
        """Ids whose changes are the history of `obj`; what names one of them as what it is about
        comes with it.
        """
        return [obj.pk, *(getattr(obj, name) for name in also_in_history.get(self.model, ()))]

    def history_address(self, request: HttpRequest, obj: Any) -> str:
        """Where the whole history of `obj` is; empty for somebody who may not read it."""
        if obj is None or not request.user.has_perm(VIEW_AUDIT):
            return ""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_history", args=[obj.pk])

    def history_sections(self, request: HttpRequest, obj: Any) -> list[dict[str, Any]]:
        """The last changes of `obj`, for the end of its page."""
        address = self.history_address(request, obj)
        if not address:
            return []
        changes = audit.history(*self.history_ids(obj), most=_ON_THE_PAGE)
        url = f"{address}{self.kept_context(request)['keep']}"
        return [section(changes, more={"label": "The whole history", "url": url})]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Every change of the record: who, when, through what, before and after."""
        if not request.user.has_perm(VIEW_AUDIT) or not self.has_view_permission(request):
            raise PermissionDenied
        obj = self.get_object(request, object_id)
        if obj is None:
            raise Http404
        changes = audit.history(*self.history_ids(obj), most=_ON_ITS_OWN)
        found = f"{reverse('admin:exchange_change_changelist')}?q={obj.pk}"
        more = {"label": "Look for it in the whole audit", "url": found}
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": obj,
            "named": self.heading(obj),
            "title": "History",
            "subtitle": self.heading(obj),
            "sections": [section(changes, more, title="Every change, the newest first")],
            **self.kept_context(request),
            "media": self.media,
        }
        return TemplateResponse(request, "admin/history.html", context)


def section(
    changes: Sequence[Change], more: dict[str, str] | None = None, title: str = "History"
) -> dict[str, Any]:
    """`changes` as a table of a page."""
    people, names = audit.who(changes), audit.names_in(changes)
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
        "empty": "Nothing was changed since the audit began.",
        "more": more,
    }


def rows(change: Change, name: str, names: Mapping[str, str]) -> list[tuple[object, ...]]:
    """One row for each column that changed; one for a record that came or went. `names` are those
    of the ids that may stand in it.
    """

    def told(value: Any) -> str:
        return names.get(str(value)) or shown(value)

    what = audit.in_words(change.table)
    head = (moment(change.at), name)
    if change.operation == Operation.UPDATE:
        return [
            (*head, f"{what}: {words(column)}", told(was), told(now), through(change))
            for column, was, now in audit.columns_of(change)
        ]
    return [
        (
            *head,
            f"{what} {change.get_operation_display().lower()}",
            _told(change.before, names),
            _told(change.after, names),
            through(change),
        )
    ]


def words(column: str) -> str:
    """A column as people call it."""
    return column.removesuffix("_id").replace("_", " ")


def shown(value: Any, longest: int = _LONGEST) -> str:
    """A value as people read it, cut short; times to the second."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | Decimal):
        return f"{Decimal(plain(Decimal(value))):,f}"
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if _INSTANT.match(text):
        return f"{text[:10]} {text[11:19]} UTC"
    return text if len(text) <= longest else f"{text[:longest]}…"


def through(change: Change) -> SafeString:
    """The request, task or command, leading to the change by itself."""
    address = reverse("admin:exchange_change_change", args=[change.pk])
    return format_html('<a href="{}">{}</a>', address, way_of(change))


def way_of(change: Change) -> str:
    """Through what it was done; which request it was stands on the change's own page."""
    return "request" if change.via.startswith("request:") else change.via or change.database_user


def record_of(change: Change) -> SafeString | str:
    """The changed record, as a link where it has a page; exports are their owners' alone."""
    model = audit.model_of(change.table)
    if model is not None and model is not Export:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}_change"
        try:
            return format_html(
                '<a href="{}">{}</a>', reverse(name, args=[change.record_id]), change.record_id
            )
        except NoReverseMatch:
            pass
    return change.record_id


def _told(columns: dict[str, Any] | None, names: Mapping[str, str]) -> str:
    if not columns:
        return "-"
    told = [
        f"{words(name)}: {names.get(str(value)) or shown(value, 60)}"
        for name, value in columns.items()
        if name != "id"
    ]
    rest = len(told) - _COLUMNS_TOLD
    return ", ".join(told[:_COLUMNS_TOLD]) + (f" and {rest} more" if rest > 0 else "")


def actors(texts: Sequence[str]) -> list[str]:
    """Actors as records keep them (`staff:<id>`, `api_key:<id>`, `system:<job>`), in words."""
    ids = [i for i in (parse_id(text.partition(":")[2]) for text in texts) if i]
    names = {f"staff:{user.pk}": str(user) for user in StaffUser.objects.filter(pk__in=ids)}
    names |= {
        f"api_key:{key.pk}": f"API key {key.name}" for key in ApiKey.objects.filter(pk__in=ids)
    }
    return [names.get(text, text.replace(":", ": ", 1).capitalize()) for text in texts]
