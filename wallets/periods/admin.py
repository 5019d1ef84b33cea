"""Closes of months in the admin: one person proposes, another confirms."""

import csv
import io
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from itertools import groupby
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.fields import ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ListFilters
from exchange.api.files import CSV, PDF, file_response
from exchange.api.operations import File
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close
from exchange.staff.models import StaffUser
from wallets.ledger.models import PeriodClose
from wallets.ledger.periods import Period
from wallets.periods import services as periods

_MONTHS_OFFERED = 24


def _months() -> Iterator[tuple[str, str]]:
    """Yield the last months that have ended, the latest first."""
    period = Period.month_of(timezone.now().date())
    for _ in range(_MONTHS_OFFERED):
        period = period.previous
        yield period.first.isoformat(), str(period)


class CloseForm(forms.Form):
    """The month to be closed."""

    month = forms.TypedChoiceField(choices=_months, coerce=date.fromisoformat)


class CloseFilters(ListFilters):
    decision, status__exact = approval_filters("Months to close", periods.CLOSES)


@admin.register(PeriodClose)
class PeriodCloseAdmin(AddFormAdmin, ProposalAdmin):
    approval = periods.CLOSES
    approve_step = Step(
        "confirm", "close_id", periods.confirm_close, lambda close: f"{close} is closed."
    )
    reject_step = Step(
        "reject",
        "close_id",
        periods.reject_close,
        "Proposal closed. The month is still open.",
        ReasonForm,
    )
    record_pages = ("csv", "pdf")
    add_permission = periods.CLOSE
    add_label = "Close a month"
    filters = CloseFilters
    list_display = ("month_display", "state_display", "proposed_by", "decided_by", "decided_time")
    list_select_related = ("proposed_by", "decided_by", "proof")
    fields = (
        "month_display", "state_display", "proof", "proposed_by", "created_at", "decided_by",
        "decided_at", "reason", "csv_sha256", "pdf_sha256",
    )  # fmt: skip
    fact_fields = ("month_display", "csv_sha256", "proof", "proposed_by")
    labels = {"csv_sha256": "SHA-256 of the CSV", "pdf_sha256": "SHA-256 of the PDF"}

    month_display = column("month", str, ordering="month")

    def heading(self, obj: PeriodClose) -> str:
        return f"Close of {obj}"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        return super().rows(user).defer("csv", "pdf")

    def tools(self, request: HttpRequest, obj: PeriodClose) -> list[Tool]:
        found = [Tool("Download CSV", self.address("csv", obj.pk))]
        if obj.pdf_sha256:
            found.insert(0, Tool("Download PDF", self.address("pdf", obj.pk)))
        return found

    def warnings(self, obj: PeriodClose) -> list[str]:
        return periods.find_changed_files(obj)

    def sections(self, request: HttpRequest, obj: PeriodClose) -> list[Section]:
        """Return the figures: the parts of the CSV."""
        if periods.find_changed_files(obj):
            return []
        lines = csv.reader(io.TextIOWrapper(io.BytesIO(obj.csv), "utf-8-sig"))
        headings, *rows = lines
        return [
            _section(f"{part} {currency}".strip(), headings[2:], [row[2:] for row in group])
            for (part, currency), group in groupby(rows[:-1], lambda row: (row[0], row[1]))
        ]

    def describe(self, proposal: PeriodClose) -> str:
        return f"Close {proposal}"

    def label_approval(self, proposal: PeriodClose) -> str:
        return f"Close {proposal}"

    def ask_approval(self, proposal: PeriodClose) -> Confirmation:
        return Confirmation(
            title=f"Close {proposal}?",
            text="From then on no transfer is dated into this month or one before. Its figures are"
            " frozen as CSV and PDF. This cannot be undone: what is found later is corrected by an"
            " adjusting entry of the month in which it is found.",
            submit=self.label_approval(proposal),
            blocker=periods.describe_problem(Period.month_of(proposal.month), proposal.proof),
            final=True,
        )

    def ask_rejection(self, proposal: PeriodClose, *, own: bool) -> Confirmation:
        return ask_to_close(
            f"the close of {proposal}",
            "The month stays open. It can be proposed again.",
            own=own,
            final=True,
        )

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Propose to close a month, which a second person must confirm."""
        return self.form_page(
            request,
            bind_form(request, CloseForm),
            lambda data: periods.propose_close(month=data["month"], user=staff_of(request)),
            title="Propose to close a month",
            submit="Propose",
            done=lambda close: f"Close of {close} proposed. A second person must confirm it.",
            note="The figures of the month are put together for a second person to confirm.",
        )

    @method_decorator(require_safe)
    def csv(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Return the figures as CSV."""
        return self._file(request, object_id, "csv", CSV)

    @method_decorator(require_safe)
    def pdf(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Return the document as PDF."""
        return self._file(request, object_id, "pdf", PDF)

    def _file(self, request: HttpRequest, object_id: UUID, form: str, kind: File) -> HttpResponse:
        """Return a stored file; where its hash is another, lead to the page that says so."""
        close: PeriodClose = self.record(request, object_id)
        data = bytes(getattr(close, form) or b"")
        if not data or sha256(data).hexdigest() != getattr(close, f"{form}_sha256"):
            messages.error(request, "This file is not there, or not the one that was frozen.")
            return self.redirect_to_record(close.pk)
        return file_response(data, kind, f"close-{close.month:%Y-%m}.{form}")


def _section(title: str, headings: list[str], rows: list[list[str]]) -> Section:
    """Return a part of the figures, without columns that it does not use."""
    used = [place for place in range(len(headings)) if any(row[place] for row in rows)]
    numbers = headings.index("Count")
    return Section(
        title,
        [headings[place] for place in used],
        [[row[place] for place in used] for row in rows],
        right=[at for at, place in enumerate(used) if place >= numbers],
    )
