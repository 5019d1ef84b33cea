"""Who approved what: all decisions of a day by people, as a page and as CSV."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.apps import apps
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import capfirst

from exchange.admin.base import Section, staff_of
from exchange.admin.display import format_time, status_badge
from exchange.admin.fields import DatePickerField
from exchange.admin.forms import fieldsets_of
from exchange.api.files import CSV as CSV_FILE
from exchange.api.files import file_response
from exchange.core.ids import first_id_at
from exchange.core.time_limits import read_within
from exchange.exports.sheets import CSV, write_table
from exchange.staff.models import StaffUser
from wallets.fees.models import SettingChange, SettingChangeStatus
from wallets.withdrawals.models import Decision, Verdict, Withdrawal

TITLE = "Approvals by day"
# More decisions of one kind than people make in a day; the page says where there are more.
ROWS = 2_000
STATEMENT_MILLISECONDS = 2_000
SECONDS = 6.0
# By which the clock behind ids may differ from that of decisions.
_MARGIN = timedelta(hours=1)
_HEADINGS = ("Time (UTC)", "Kind", "Record", "Decision", "By", "Proposed by", "Reason")
# The columns of the record whose page shows proposals that have no page of their own.
_PARENTS = ("payment", "freeze", "subject", "loan", "distribution", "configuration")
# A person, or the label of an actor, which may be an API key of an issuer or lender.
_PROPOSERS = ("proposed_by_label", "proposed_by", "entered_by")
# The reason of the decision; some proposals keep that of their proposer as `reason`.
_REASONS = ("approval_reason", "decision_note", "reason")
# What became of an approved proposal later, and the status that the decision gave it.
_BEFORE = {"Reversed": "Completed", "Cancelled": "Approved", "Superseded": "Approved"}


class DayForm(forms.Form):
    """The day."""

    day = DatePickerField(help_text="UTC")


@dataclass(frozen=True, slots=True)
class DayDecision:
    """A decision: the cells of its row, and the URL of its record."""

    at: datetime
    kind: str
    title: str
    decision: str
    by: str
    proposed_by: str
    reason: str
    url: str


def approvals_page(site: admin.AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the decisions of a day, or return them as CSV."""
    user, day = staff_of(request), timezone.now().date()
    form = DayForm(request.GET if "day" in request.GET else None, initial={"day": day})
    context: dict[str, Any] = {}
    if not form.is_bound or form.is_valid():
        day = form.cleaned_data["day"] if form.is_bound else day
        found, unread = _read(user, day)
        if not unread and request.GET.get("form") == CSV:
            return file_response(_to_csv(found), CSV_FILE, f"approvals-{day}.csv")
        context = {
            "warnings": [f"Not read to the end: {', '.join(unread)}."] if unread else [],
            "facts": [("Decisions", f"{len(found):,}{' or more' if unread else ''}")],
            "csv_url": "" if unread else f"?{urlencode({'day': day, 'form': CSV})}",
            "sections": [_section(day, found)],
        }
    return TemplateResponse(
        request,
        "admin/report.html",
        {
            **site.each_context(request),
            "title": TITLE,
            "lede": "What people decided on a day, oldest first: withdrawals and proposals.",
            "form": form,
            "fieldsets": fieldsets_of(form),
            **context,
        },
    )


def _read(user: StaffUser, day: date) -> tuple[list[DayDecision], list[str]]:
    """Return the decisions of `day`, oldest first, and the kinds not read to the end.

    Raises `PermissionDenied` for who may view none of them.
    """
    reads = dict(_reads(user, day))
    if not reads:
        raise PermissionDenied
    results = read_within(
        list(reads.values()), milliseconds=STATEMENT_MILLISECONDS, seconds=SECONDS
    )
    unread = [
        kind for kind, rows in zip(reads, results, strict=True) if rows is None or len(rows) > ROWS
    ]
    found = [row for rows in results for row in (rows or ())[:ROWS]]
    return sorted(found, key=lambda row: row.at), unread


def _reads(user: StaffUser, day: date) -> Iterator[tuple[str, Callable[[], list[DayDecision]]]]:
    """Yield a read for each kind that `user` may view."""
    begins = datetime.combine(day, time(), UTC)
    ends = begins + timedelta(days=1)
    if user.has_perm("wallets.view_decision"):
        # Ids, which have an index, grow with time.
        rows = Decision.objects.filter(
            verdict__in=(Verdict.APPROVE, Verdict.REJECT),
            created_at__gte=begins,
            created_at__lt=ends,
            pk__gte=first_id_at(begins - _MARGIN),
            pk__lt=first_id_at(ends + _MARGIN),
        )
        yield "Withdrawal", partial(_of_withdrawals, rows.select_related("withdrawal__bank"))
    for model in _proposal_models():
        column, page = _page_of(model)
        meta = page.model._meta
        if user.has_perm(f"{meta.app_label}.view_{meta.model_name}"):
            proposals = model._default_manager.all() if column else page.rows(user)
            decided = proposals.filter(
                decided_at__gte=begins, decided_at__lt=ends, decided_by__isnull=False
            )
            people = [
                field.name
                for field in model._meta.fields
                if field.is_relation and field.name in ("decided_by", *_PROPOSERS)
            ]
            shown = decided.select_related(*people)
            if column:
                shown = shown.prefetch_related(Prefetch(column, page.rows(user)))
            kind = capfirst(str(model._meta.verbose_name))
            yield kind, partial(_of_proposals, kind, column, page, shown)
    changes: Any = admin.site._registry[SettingChange]
    if user.has_perm("wallets.view_settingchange"):
        cancelled = changes.rows(user).filter(
            status=SettingChangeStatus.CANCELLED, cancelled_at__gte=begins, cancelled_at__lt=ends
        )
        people = ["cancelled_by", "cancellation_requested_by"]
        yield (
            "Cancelled settings change",
            partial(_of_cancellations, changes, cancelled.select_related(*people)),
        )


def _proposal_models() -> list[Any]:
    """Return the models of all proposals that a person decides."""
    return [
        model
        for model in apps.get_models()
        if not model._meta.proxy and "decided_by" in {field.name for field in model._meta.fields}
    ]


def _page_of(model: Any) -> tuple[str, Any]:
    """Return the page that shows proposals, and the column of its record; "": the proposal."""
    pages: Any = admin.site._registry
    if model in pages:
        return "", pages[model]
    fields = {field.name: field.related_model for field in model._meta.fields}
    column = next(name for name in _PARENTS if name in fields)
    return column, pages[fields[column]]


def _of_withdrawals(rows: QuerySet[Decision]) -> list[DayDecision]:
    page: Any = admin.site._registry[Withdrawal]
    return [
        DayDecision(
            decision.created_at,
            "Withdrawal",
            page.heading(decision.withdrawal),
            "Approved" if decision.verdict == Verdict.APPROVE else "Rejected",
            decision.actor_label,
            "",
            decision.override or decision.reason,
            page.address("change", decision.withdrawal_id),
        )
        for decision in rows[: ROWS + 1]
    ]


def _of_proposals(kind: str, column: str, page: Any, rows: QuerySet[Any]) -> list[DayDecision]:
    return [
        DayDecision(
            proposal.decided_at,
            kind,
            page.heading(getattr(proposal, column) if column else proposal),
            _BEFORE.get(proposal.status, str(proposal.status)),
            str(proposal.decided_by),
            _proposer_of(proposal),
            next(filter(None, (getattr(proposal, name, "") for name in _REASONS)), ""),
            page.address("change", getattr(proposal, f"{column}_id") if column else proposal.pk),
        )
        for proposal in rows[: ROWS + 1]
    ]


def _of_cancellations(page: Any, rows: QuerySet[Any]) -> list[DayDecision]:
    """Return the cancellations of approved settings changes, which two people decide as well."""
    return [
        DayDecision(
            change.cancelled_at,
            "Settings change",
            page.heading(change),
            str(change.status),
            str(change.cancelled_by),
            str(change.cancellation_requested_by),
            change.cancellation_reason,
            page.address("change", change.pk),
        )
        for change in rows[: ROWS + 1]
    ]


def _proposer_of(proposal: Any) -> str:
    names = (getattr(proposal, name, None) for name in _PROPOSERS)
    return next((str(person) for person in names if person), "")


def _section(day: date, found: Sequence[DayDecision]) -> Section:
    rows = [
        (
            format_time(row.at),
            row.kind,
            format_html('<a href="{}">{}</a>', row.url, row.title),
            status_badge(row.decision),
            row.by,
            row.proposed_by or "-",
            row.reason or "-",
        )
        for row in found
    ]
    return Section(f"{day:%-d %B %Y}", _HEADINGS, rows, empty="No decisions on this day.")


def _to_csv(found: Sequence[DayDecision]) -> bytes:
    file = io.BytesIO()
    rows = (astuple(row)[: len(_HEADINGS)] for row in found)
    write_table(file, form=CSV, title=TITLE, headings=_HEADINGS, rows=rows)
    return file.getvalue()
