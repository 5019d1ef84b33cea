"""Reconciliation reports in the admin: result, differences, breaks, totals and balances."""

from collections.abc import Collection
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column, time_column
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import status_badge
from exchange.admin.fields import DatePickerField
from exchange.admin.forms import bind_form
from exchange.admin.progress import Progress, progress_response
from exchange.admin.replica_reads import read_page
from exchange.core.currencies import format_money
from exchange.core.errors import DomainError
from exchange.exports import services as exports
from exchange.exports.admin import start_and_respond
from exchange.exports.sheets import CSV, FILE_FORMATS
from exchange.staff.models import StaffUser
from wallets.reconciliation.admin.breaks import about, breaks_section, side
from wallets.reconciliation.admin.export_columns import REPORTS
from wallets.reconciliation.admin.treasury_overview import treasury_page
from wallets.reconciliation.models import LineKind, Reconciliation, ReconciliationLine, ReportStatus
from wallets.reconciliation.selectors.overview import float_positions, with_results
from wallets.reconciliation.services.reports import PERMISSION, request_report_as_staff
from wallets.reconciliation.services.totals import MOVEMENT_KINDS

PROVISIONAL = "Preliminary: day not ended"
_UNFINISHED = {ReportStatus.WAITING, ReportStatus.RUNNING}
_MAX_LINES = 500
_PAYMENTS = (LineKind.RECEIVED, LineKind.DEPOSIT_CHARGES)
_PAYOUTS = (LineKind.IN_FLIGHT, LineKind.COMPLETED, LineKind.FAILED, LineKind.CHARGES)


class DayForm(forms.Form):
    """The day to reconcile."""

    day = DatePickerField(help_text="UTC")


@admin.register(Reconciliation)
class ReconciliationAdmin(AddFormAdmin):
    reports = {"treasury": treasury_page}
    record_pages = ("progress",)
    record_posts = ("again", "export")
    reads_replica = True
    add_permission = PERMISSION
    list_display = (
        "day",
        "verdict",
        "basis",
        "differences",
        "compared",
        "requested_by_display",
        "made",
    )
    list_filter = ("status", "day")
    date_hierarchy = "day"
    add_label = "Run reconciliation"
    labels = {"created_at": "requested (UTC)"}
    fields = (
        "day", "verdict", "basis", "differences", "compared", "reason", "requested_by_display",
        "created_at", "finished_at",
    )  # fmt: skip

    verdict = column("result", lambda report: status_badge(report.result), ordering="status")
    basis = column(
        "basis",
        lambda report: PROVISIONAL if report.provisional else "Complete day",
        ordering="provisional",
    )
    requested_by_display = column(
        "requested by", lambda report: report.requested_by_label, ordering="requested_by_label"
    )
    made = time_column("requested (UTC)", "created_at", ordering="created_at")

    def heading(self, obj: Reconciliation) -> str:
        return f"Reconciliation of {obj.day}"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        return with_results(super().rows(user))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the report, which has up to thousands of lines, from the replica where possible."""
        show = super().change_view
        return read_page(request, lambda: show(request, object_id, form_url, extra_context))

    def progress_of(self, obj: Reconciliation) -> Progress | None:
        """Return the progress of a report that is not finished."""
        if obj.status not in _UNFINISHED:
            return None
        text = "Queued" if obj.status == ReportStatus.WAITING else "Comparing with the provider"
        return Progress(self.address("progress", obj.pk), text)

    def progress(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Return the progress for the page's script."""
        return progress_response(self.progress_of(self.record(request, object_id)))

    def tools(self, request: HttpRequest, obj: Reconciliation) -> list[Tool]:
        shown = []
        if obj.status in _UNFINISHED:
            return []
        if self.may(request, exports.EXPORT_PERMISSION):
            shown = [
                Tool(f"Export {label}", f"{self.address('export', obj.pk)}?form={form}", post=True)
                for form, label in FILE_FORMATS.items()
            ]
        if self.may(request, PERMISSION):
            shown.insert(0, Tool("Re-run", self.address("again", obj.pk), post=True))
        return shown

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Request a report of a day."""
        return self.form_page(
            request,
            bind_form(request, DayForm),
            lambda data: request_report_as_staff(day=data["day"], user=staff_of(request)),
            title="Run reconciliation",
            submit="Run reconciliation",
            done="Reconciliation requested. It runs in the background.",
            note="Compares our payouts and payments of the day with the provider's, and both "
            "current balances. A report of a day that has not ended is preliminary: it opens no "
            "breaks and raises no alert.",
        )

    def again(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Request another report of the same day."""
        report: Reconciliation = self.record(request, object_id, PERMISSION)
        try:
            report = request_report_as_staff(day=report.day, user=staff_of(request))
        except DomainError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, "Reconciliation requested. It runs in the background.")
        return self.redirect_to_record(report.pk)

    def export(self, request: HttpRequest, object_id: UUID) -> HttpResponseBase:
        """Export the report."""
        report: Reconciliation = self.record(request, object_id, exports.EXPORT_PERMISSION)
        data = {"form": request.GET.get("form", CSV)}
        try:
            return start_and_respond(request, REPORTS.name, f"report={report.pk}", data)
        except DomainError as error:
            messages.error(request, error.message)
            return self.redirect_to_record(report.pk)

    def sections(self, request: HttpRequest, obj: Reconciliation) -> list[Section]:
        if obj.status in _UNFINISHED:
            return []
        lines = list(obj.lines.select_related("withdrawal", "payment")[: _MAX_LINES + 1_000])
        totals = [line for line in lines if not line.is_difference]
        breaks = breaks_section(obj)
        return [
            _differences(obj, [line for line in lines if line.is_difference][:_MAX_LINES]),
            *([breaks] if breaks else []),
            _both_sides("Payouts of the day", totals, _PAYOUTS, "No payouts on either side."),
            _both_sides("Deposits of the day", totals, _PAYMENTS, "No payments on either side."),
            _balances(obj),
            _movement(totals),
        ]


def _differences(report: Reconciliation, lines: list[ReconciliationLine]) -> Section:
    rows = [
        (
            status_badge(line.kind),
            line.currency_id or "-",
            about(line),
            line.provider_id or "-",
            side(line.our_text, line.our_amount, line),
            side(line.their_text, line.their_amount, line),
        )
        for line in lines
    ]
    if report.status == ReportStatus.INCOMPLETE:
        empty = f"Could not finish: {report.reason}."
    else:
        empty = "No differences: all payouts, payments and balances match."
    headings = ("Kind", "Currency", "About", "Provider ID", "Ours", "Provider")
    title = "Differences"
    if report.differences > len(lines):
        title = f"Differences (first {len(lines)} of {report.differences:,}; export for all)"
    return Section(title, headings, rows, empty=empty)


def _both_sides(
    title: str, totals: list[ReconciliationLine], kinds: Collection[LineKind], empty: str
) -> Section:
    rows = [
        (
            line.currency_id,
            line.kind,
            "-" if line.our_count is None else f"{line.our_count:,}",
            format_money(line.our_amount, str(line.currency_id)),
            "-" if line.their_count is None else f"{line.their_count:,}",
            format_money(line.their_amount, str(line.currency_id)),
        )
        for line in totals
        if line.kind in kinds and (line.our_amount or line.their_amount)
    ]
    headings = ("Currency", "Status", "Ours", "Amount", "Provider", "Amount")
    return Section(title, headings, rows, right=(2, 3, 4, 5), empty=empty)


def _balances(report: Reconciliation) -> Section:
    rows = [
        (
            found.currency,
            *(
                format_money(amount, found.currency)
                for amount in (
                    found.clearing, found.provider, found.in_transit, found.variance,
                    found.expected,
                )
            ),
        )
        for found in float_positions(report)
    ]  # fmt: skip
    headings = (
        "Currency", "Clearing", "Provider balance", "In transit", "Variance", "Explained",
    )  # fmt: skip
    return Section("Provider balance vs clearing", headings, rows, right=(1, 2, 3, 4, 5))


def _movement(totals: list[ReconciliationLine]) -> Section:
    table: dict[str, dict[str, Decimal]] = {}
    for line in totals:
        if line.kind in MOVEMENT_KINDS:
            table.setdefault(str(line.currency_id), {})[line.kind] = line.our_amount or Decimal(0)
    rows = [
        (code, *(format_money(moved.get(kind, Decimal(0)), code) for kind in MOVEMENT_KINDS))
        for code, moved in table.items()
        if any(moved.values())
    ]
    headings = (
        "Currency",
        "Opening",
        "Deposits",
        "Payouts",
        "Charges",
        "Reversals",
        "Treasury",
        "Other",
        "Closing",
    )
    return Section(
        "Clearing movements of the day",
        headings,
        rows,
        right=tuple(range(1, 9)),
        empty="No movements.",
    )
