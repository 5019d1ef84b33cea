"""One timeline of everything an owner has: the newest on the owner's page, the rest by time.

All records are read by one statement. Each kind of record contributes as many rows as a page has,
so that the cost does not depend on how much the owner has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import (
    CharField,
    DecimalField,
    IntegerField,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern
from django.views.decorators.http import require_safe

from exchange.admin.base import SafeAdmin, Section, Tool
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.panels import Panel
from exchange.core.currencies import format_money
from exchange.core.ids import parse_id
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns, column

# On the owner's page, and on a page of its own.
_NEWEST = 15
_PAGE = 50
# The parameter that adds webhook events.
_WEBHOOKS = "webhooks"
_AMOUNT: Any = DecimalField(max_digits=38, decimal_places=8)
_HEADINGS = ("Time (UTC)", "Record", "Details", "Amount", "Status")


@dataclass(frozen=True, slots=True)
class TimelinePosition:
    """The last row of a page: the next page starts after it."""

    at: datetime
    record_id: UUID

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.record_id}"


def parse_position(text: str) -> TimelinePosition:
    """Return the position in an address. Raises `Http404`."""
    at, _, record = text.partition("~")
    record_id = parse_id(record)
    try:
        moment = datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Http404 from None
    if record_id is None:
        raise Http404
    return TimelinePosition(moment, record_id)


class TimelinePanel(Panel):
    """The timeline of an owner, of the kinds of records that the viewer may view.

    Webhook events are left out unless the address asks for them.
    """

    tab = "Activity"

    def __init__(self, *records: OwnerRecords) -> None:
        self._sources = [
            (source, source.timeline) for source in records if source.timeline is not None
        ]

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return the newest entries, with a link to all, and when something last happened."""
        if not self._viewable(page, request, record):
            return ()
        entries = self._entries(page, request, record, _NEWEST)
        url = page.preserve_in_url(request, page.address("timeline", record.pk))
        more = Tool("Whole timeline", url)
        section = _section("Timeline", entries[:_NEWEST], more if entries else None)
        last = [("Last activity (UTC)", row[0]) for row in section.rows[:1]]
        return (replace(section, facts=last),)

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of the whole timeline."""
        view = require_safe(partial(self._page, page))
        return [page.action_url("<uuid:object_id>/timeline/", "timeline", view, only_post=False)]

    def _page(self, page: SafeAdmin, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show a page of the timeline: the newest, or what was before `before`."""
        owner = page.record(request, object_id)
        text = request.GET.get("before", "")
        before = parse_position(text) if text else None
        entries = self._entries(page, request, owner, _PAGE, before)
        shown = {_WEBHOOKS: "1"} if _WEBHOOKS in request.GET else {}
        other = (
            Tool("Without webhook events", self._url(page, request, owner, {}))
            if shown
            else Tool("With webhook events", self._url(page, request, owner, {_WEBHOOKS: "1"}))
        )
        more = None
        if len(entries) > _PAGE:
            last = entries[_PAGE - 1]
            query = {"before": str(TimelinePosition(last[0], last[1]))}
            more = Tool("Older", self._url(page, request, owner, {**shown, **query}))
        title = f"Before {before.at:%Y-%m-%d %H:%M:%S} UTC" if before else "Newest first"
        return page.page(
            request,
            "admin/history.html",
            "Timeline",
            record=owner,
            subtitle=page.heading(owner),
            tools=[other],
            sections=[_section(title, entries[:_PAGE], more)],
        )

    def _url(
        self, page: SafeAdmin, request: HttpRequest, owner: Owner, query: Mapping[str, str]
    ) -> str:
        address = page.address("timeline", owner.pk)
        return page.preserve_in_url(request, f"{address}?{urlencode(query)}".rstrip("?"))

    def _viewable(
        self, page: SafeAdmin, request: HttpRequest, owner: Owner
    ) -> list[tuple[int, OwnerRecords, TimelineColumns]]:
        return [
            (number, source, columns)
            for number, (source, columns) in enumerate(self._sources)
            if page.may(request, source.permission)
            and source.branches(owner)
            and (not source.reports or _WEBHOOKS in request.GET)
        ]

    def _entries(
        self,
        page: SafeAdmin,
        request: HttpRequest,
        owner: Owner,
        limit: int,
        before: TimelinePosition | None = None,
    ) -> list[Any]:
        """Return the newest `limit` entries and one more, before a position if one is given."""
        parts = [
            _rows(number, source, columns, branch, before)[: limit + 1]
            for number, source, columns in self._viewable(page, request, owner)
            for branch in source.branches(owner)
        ]
        if not parts:
            return []
        first, *others = parts
        if others:
            first = first.union(*others).order_by("-entry_at", "-entry_id")[: limit + 1]
        rows = list(first)
        return [(row[0], row[1], *self._cells(row)) for row in rows]

    def _cells(self, row: tuple[Any, ...]) -> tuple[object, ...]:
        _, record_id, number, text, amount, currency, state = row
        source, columns = self._sources[number]
        return (
            record_link(source.model(pk=record_id), columns.label),
            text or "",
            format_money(amount, currency) if amount is not None and currency else "",
            status_badge(state.replace("_", " ").capitalize()) if state else "",
        )


def _rows(
    number: int,
    source: OwnerRecords,
    columns: TimelineColumns,
    branch: Q,
    before: TimelinePosition | None,
) -> QuerySet[Any, Any]:
    """Return the entries of one kind of record, newest first, as columns that all kinds share."""
    rows: QuerySet[Any, Any] = source.rows().filter(branch)
    if before is not None:
        same_moment = Q(**{columns.at: before.at, "pk__gte": before.record_id})
        rows = rows.filter(Q(**{f"{columns.at}__lte": before.at}) & ~same_moment)
    found: QuerySet[Any, Any] = (
        rows.annotate(
            entry_at=column(columns.at),
            entry_id=column("pk"),
            entry_kind=Value(number, output_field=IntegerField()),
            entry_text=_text(columns.text),
            entry_amount=Cast(column(columns.amount) or Value(None), _AMOUNT),
            entry_currency=_text(columns.currency),
            entry_state=_text(columns.state),
        )
        .order_by(f"-{columns.at}", "-pk")
        .values_list(
            "entry_at", "entry_id", "entry_kind", "entry_text", "entry_amount", "entry_currency",
            "entry_state",
        )
    )  # fmt: skip
    return found


def _text(name: str | Combinable | None) -> Cast:
    return Cast(column(name) or Value(None, output_field=CharField()), TextField())


def _section(title: str, entries: Sequence[Any], more: Tool | None) -> Section:
    rows = [(format_time(at), *cells) for at, _, *cells in entries]
    return Section(title, _HEADINGS, rows, right=(3,), empty="Nothing yet.", more=more)
