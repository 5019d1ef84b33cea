"""Columns and rows of an exported report."""

from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from exchange.core.errors import InvalidRequest
from exchange.core.ids import parse_id
from exchange.exports.lists import read_records
from exchange.exports.sheets import SheetColumn
from exchange.exports.sources import DateRange, Source
from exchange.staff.models import StaffUser
from wallets.reconciliation.models import Reconciliation, ReconciliationLine

_COLUMNS: tuple[SheetColumn, ...] = (
    SheetColumn("Day", lambda line: line.report.day),
    SheetColumn("Report", lambda line: line.report.status),
    SheetColumn("Preliminary", lambda line: "Yes" if line.report.provisional else "No"),
    SheetColumn("Line", lambda line: "Difference" if line.is_difference else "Total"),
    SheetColumn("Kind", lambda line: line.kind),
    SheetColumn("Currency", lambda line: line.currency_id),
    SheetColumn("Our count", lambda line: line.our_count),
    SheetColumn("Our amount", lambda line: line.our_amount),
    SheetColumn("Provider count", lambda line: line.their_count),
    SheetColumn("Provider amount", lambda line: line.their_amount),
    SheetColumn("Ours", lambda line: line.our_text),
    SheetColumn("Provider", lambda line: line.their_text),
    SheetColumn("Reference", lambda line: line.reference),
    SheetColumn("Provider ID", lambda line: line.provider_id),
    SheetColumn("Withdrawal ID", lambda line: str(line.withdrawal_id or "")),
    SheetColumn("Payment ID", lambda line: str(line.payment_id or "")),
    SheetColumn("Reason incomplete", lambda line: line.report.reason),
)


def _select(_user: StaffUser, query: str, _span: DateRange) -> tuple[QuerySet[Any], str]:
    report_id = parse_id(QueryDict(query).get("report") or "")
    report = Reconciliation.objects.filter(pk=report_id).first() if report_id else None
    if report is None:
        raise InvalidRequest("Report not found")
    lines = ReconciliationLine.objects.filter(report=report).select_related("report")
    return lines.order_by("position"), f"report about {report.day}, {report.status}"


REPORTS = Source(
    name="wallets.reconciliation",
    title="Reconciliation",
    permission="wallets.view_reconciliation",
    columns=_COLUMNS,
    select=_select,
    records=read_records,
)
