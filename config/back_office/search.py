"""The search on every page: people, references, ids, account numbers, tokens and amounts.

It finds only what the viewer may view, a few records of each kind, with links to the lists for
more. It answers within a bound, or says which kinds it did not finish.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Model, OneToOneField, UUIDField
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.text import capfirst

from credit.configurations.admin.site_search import LOAN_CONFIGURATIONS
from credit.loans.admin.site_search import LOANS
from exchange.admin.base import SafeAdmin, Section, Tool, staff_of
from exchange.admin.display import format_time
from exchange.admin.panels import badges_of
from exchange.admin.site_search import (
    MAX_LENGTH,
    RECENT_ROWS,
    ROWS,
    SearchKind,
    SearchTerm,
    describe_unread_filter,
    locate,
    parse_search,
)
from exchange.core.time_limits import read_within
from exchange.events.admin.site_search import EVENTS
from exchange.participants.admin.site_search import API_KEYS, MEMBERS, ORGANISATIONS
from exchange.staff.admin.site_search import STAFF
from exchange.staff.models import StaffUser
from exchange.tokens.admin.site_search import TOKENS
from orders.book.admin.site_search import ORDERS
from orders.trades.admin.site_search import TRADES
from wallets.conversions.admin import CONVERSIONS
from wallets.deposits.admin.site_search import DEPOSITS, PAYMENTS, VIRTUAL_ACCOUNTS
from wallets.ledger.admin.site_search import LEDGER_TRANSFERS
from wallets.transfers.admin import WALLET_TRANSFERS
from wallets.withdrawals.admin.site_search import WITHDRAWALS

# In the order of the page.
KINDS: tuple[SearchKind, ...] = (
    MEMBERS,
    ORGANISATIONS,
    STAFF,
    API_KEYS,
    TOKENS,
    WITHDRAWALS,
    DEPOSITS,
    VIRTUAL_ACCOUNTS,
    PAYMENTS,
    WALLET_TRANSFERS,
    CONVERSIONS,
    ORDERS,
    TRADES,
    LOANS,
    LOAN_CONFIGURATIONS,
    LEDGER_TRANSFERS,
    EVENTS,
)
STATEMENT_MILLISECONDS = 700
SECONDS = 3.0
_OTHERS = "Other records"
_HEADINGS = ("Record", "Details", "Created (UTC)")


class SearchForm(forms.Form):
    """What is searched for. Control characters that PostgreSQL cannot store are refused."""

    q = forms.CharField(
        max_length=MAX_LENGTH,
        error_messages={
            "max_length": f"Enter at most {MAX_LENGTH} characters",
            "null_characters_not_allowed": "The text contains characters that no record can have",
        },
    )


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and the kinds of records that were not searched to the end."""

    sections: Sequence[Section]
    cut_short: Sequence[str]


def search_page(site: admin.AdminSite, request: HttpRequest) -> HttpResponse:
    """Render the results of a search for the signed-in user."""
    typed = request.GET.get("q", "")
    form = SearchForm({"q": typed.encode("utf-8", "replace").decode()})
    found = Found((), ())
    errors: list[Any] = []
    if form.is_valid():
        text = form.cleaned_data["q"]
        found = search(site, request, parse_search(text))
        # A reference of an organisation may look like a filter.
        if not found.sections and (problem := describe_unread_filter(text)):
            errors = [f"{problem}."]
    elif typed.strip():
        errors = list(form.errors["q"])
    context = {
        **site.each_context(request),
        "title": "Search",
        "site_query": typed[:MAX_LENGTH],
        "found": found,
        "errors": errors,
        "recent_rows": f"{RECENT_ROWS:,}",
    }
    return TemplateResponse(request, "admin/search.html", context)


def search(site: admin.AdminSite, request: HttpRequest, term: SearchTerm) -> Found:
    """Return what the user may view of what `term` matches."""
    run = _Search(
        term,
        staff_of(request),
        {
            model: page
            for model, page in site._registry.items()
            if isinstance(page, SafeAdmin) and page.has_view_permission(request)
        },
    )
    reads = dict(run.reads())
    results = read_within(
        list(reads.values()), milliseconds=STATEMENT_MILLISECONDS, seconds=SECONDS
    )
    sections = [section for section in results if section is not None and section.rows]
    # Records of other kinds come last.
    sections.sort(key=lambda section: section.title == _OTHERS)
    return Found(
        sections,
        [name for name, section in zip(reads, results, strict=True) if section is None],
    )


@dataclass(slots=True)
class _Search:
    """One search of one user: a read for each kind that the term may match."""

    _term: SearchTerm
    _user: StaffUser
    _pages: Mapping[type[Model], SafeAdmin]
    # The models that have a record with the id of the term; None: not known.
    _located: set[type[Model]] | None = None

    def reads(self) -> Iterator[tuple[str, Callable[[], Section]]]:
        """Yield the titles and reads; the first finds out which tables an id is in."""
        models = [model for model in self._pages if _has_uuid(model)]
        if self._term.record_id is not None and models:
            yield _OTHERS, partial(self._find_others, models, self._term.record_id)
        for kind in KINDS:
            if kind.model in self._pages and kind.branches(self._term):
                yield _title(kind.model), partial(self._find, kind)

    def _find_others(self, models: Sequence[type[Model]], record_id: UUID) -> Section:
        """Return links to the records with this id that are of no listed kind."""
        located = locate(models, record_id)
        self._located = set(located)
        known = {kind.model for kind in KINDS}
        rows = [
            (
                _link(self._pages[model].address("change", record_id), str(record_id)),
                str(model._meta.verbose_name).capitalize(),
            )
            for model in located
            if model not in known
        ]
        return Section(_OTHERS, ("Record", "Kind"), rows)

    def _find(self, kind: SearchKind) -> Section:
        """Return the first matches of one kind."""
        page, rows = self._pages[kind.model], []
        absent = self._located is not None and kind.model not in self._located
        if not (absent and kind.needs_id):
            rows = kind.find(page.rows(self._user).order_by(), self._term)
        shown, more = rows[:ROWS], None
        badges = badges_of(kind.model, shown)
        if len(rows) > ROWS and self._term.filters is None:
            query = _list_query(self._term)
            more = Tool("More in the list", f"{page.address('changelist')}?{query}")
        return Section(
            _title(kind.model),
            _HEADINGS,
            [_cells(kind, page, row, badges.get(row.pk, "")) for row in shown],
            more=more,
            note=f"The first {ROWS}." if len(rows) > ROWS else "",
        )


def _list_query(term: SearchTerm) -> str:
    """Return the query of the list: an amount without its currency, which lists do not parse."""
    text = f"{term.amount:f}" if term.currency else term.text
    return urlencode({"q": text})


def _cells(kind: SearchKind, page: SafeAdmin, row: Any, badges: str) -> tuple[object, ...]:
    details = ", ".join(str(part) for part in kind.describe(row))
    return (
        _link(page.address("change", row.pk), page.heading(row)),
        format_html("{} {}", details, badges) if badges else details,
        format_time(getattr(row, kind.created)),
    )


def _link(address: str, text: str) -> str:
    return format_html('<a href="{}">{}</a>', address, text)


def _title(model: type[Model]) -> str:
    return capfirst(str(model._meta.verbose_name_plural))


def _has_uuid(model: type[Model]) -> bool:
    pk: Any = model._meta.pk
    return isinstance(pk.target_field if isinstance(pk, OneToOneField) else pk, UUIDField)
