"""Columns and rows of an exported report."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from exchange.core.errors import InvalidRequest
from exchange.core.ids import parse_id
from exchange.exports.lists import read_records
from exchange.exports.sheets import Column
from exchange.exports.sources import DateRange, Source
from exchange.staff.models import StaffUser
from wallets.reconciliation.models import Reconciliation, ReconciliationLine

_COLUMNS: tuple[Column, ...] = (
    Column("Day", lambda line: line.report.day),
    Column("Report", lambda line: line.report.status),
    Column("Preliminary", lambda line: "Yes" if line.report.provisional else "No"),
    Column("Line", lambda line: "Difference" if line.is_difference else "Total"),
    Column("Kind", lambda line: line.kind),
    Column("Currency", lambda line: line.currency_id),
    Column("Our count", lambda line: line.our_count),
    Column("Our amount", lambda line: line.our_amount),
    Column("Provider count", lambda line: line.their_count),
    Column("Provider amount", lambda line: line.their_amount),
    Column("Ours", lambda line: line.our_text),
    Column("Provider", lambda line: line.their_text),
    Column("Reference", lambda line: line.reference),
    Column("Provider ID", lambda line: line.provider_id),
    Column("Withdrawal ID", lambda line: str(line.withdrawal_id or "")),
    Column("Payment ID", lambda line: str(line.payment_id or "")),
    Column("Reason incomplete", lambda line: line.report.reason),
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
