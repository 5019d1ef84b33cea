"""The set of a closed month: a table for spreadsheets and a document to print."""

import io
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from django.conf import settings

from exchange.core.currencies import currencies
from exchange.core.numbers import format_grouped
from exchange.core.timestamps import wire_time
from exchange.exports.sheets import CSV, Cell, write_table
from exchange.pdf.printout import Column, Printout, Row, print_time
from wallets.ledger.admin.trial_balance import OWNERS
from wallets.ledger.models import TransferKind
from wallets.ledger.selectors.trial_balance import Side
from wallets.periods.selectors import AccountStatement, MonthFigures
from wallets.reconciliation.models import ReconciliationBreak

TITLE = "Close of the month"
_HEADINGS = (
    *("Part", "Currency", "Account", "Owner", "Item", "Count"),
    *("Debit", "Credit", "Debit before", "Credit before", "Difference"),
)
_BALANCE_COLUMNS = (
    Column("Account"),
    Column("Owner", 26),
    Column("Debit", 27, right=True),
    Column("Credit", 27, right=True),
    Column("Debit before", 27, right=True),
    Column("Credit before", 27, right=True),
)
_STATEMENT_COLUMNS = (
    Column("Transfers"),
    Column("Count", 20, right=True),
    Column("Debit", 32, right=True),
    Column("Credit", 32, right=True),
)
_BREAK_COLUMNS = (
    Column("Day", 20), Column("Break and explanation"), Column("Difference", 32, right=True),
)  # fmt: skip


def to_csv(figures: MonthFigures) -> bytes:
    """Return the figures as CSV: the same bytes for the same figures."""
    file = io.BytesIO()
    write_table(
        file,
        form=CSV,
        title=TITLE,
        headings=_HEADINGS,
        rows=_csv_rows(figures),
        as_of=figures.period.ends,
    )
    return file.getvalue()


def to_printout(
    figures: MonthFigures, *, confirmed_by: str, csv_sha256: str, made_at: datetime
) -> Printout:
    """Return the figures as a document to print, with both people and the hash of the CSV."""
    document = Printout(
        issuer=settings.UNFOLD["SITE_TITLE"],
        title=TITLE,
        subject=str(figures.period),
        made_at=made_at,
    )
    document.add_facts(
        [("Month", str(figures.period)), ("Proposed by", figures.proposed_by)],
        [("Made", print_time(made_at)), ("Confirmed by", confirmed_by)],
    )
    for currency, rows in figures.balances.items():
        document.add_paragraph(f"Trial balance, {currency}")
        document.add_table(
            _BALANCE_COLUMNS,
            [
                *(
                    Row(
                        (
                            str(row.kind.label),
                            OWNERS[row.owner],
                            *_print(currency, row.now),
                            *_print(currency, row.before),
                        )
                    )
                    for row in rows
                ),
                Row(("Total", "", *_print_totals(figures, currency)), strong=True),
            ],
        )
    for statement in figures.statements:
        document.add_paragraph(f"Statement of {statement.kind.label}, {statement.currency}")
        document.add_table(_STATEMENT_COLUMNS, _printed_statement(statement))
    if figures.breaks:
        document.add_paragraph("Breaks")
        document.add_table(
            _BREAK_COLUMNS,
            [
                Row((str(each.day), _explain(each), _print_difference(each)))
                for each in figures.breaks
            ],
        )
    for text in _controls(figures):
        document.add_paragraph(text)
    document.add_paragraph(f"SHA-256 of the CSV of this set: {csv_sha256}")
    return document


def _controls(figures: MonthFigures) -> list[str]:
    """Return what was checked, as sentences."""
    days = ", ".join(str(day) for day in figures.unreconciled) or "none"
    return [
        f"Ledger integrity: the full check of {wire_time(figures.proof.ran_at)} passed",
        f"Breaks: {len(figures.breaks)}, all explained and closed",
        f"Days without a complete reconciliation: {days}",
    ]


def _csv_rows(figures: MonthFigures) -> Iterator[tuple[Cell, ...]]:
    def control(item: str) -> tuple[Cell, ...]:
        return ("Control", "", "", "", item, *[None] * 6)

    yield control(f"Month: {figures.period}")
    yield control(f"Proposed by: {figures.proposed_by}")
    for text in _controls(figures):
        yield control(text)
    for currency, rows in figures.balances.items():
        for row in rows:
            now, before = Side.of(row.now), Side.of(row.before)
            amounts = (now.debit, now.credit, before.debit, before.credit)
            account = (str(row.kind.label), OWNERS[row.owner])
            yield "Trial balance", currency, *account, "", None, *map(_cell, amounts), None
        totals = _totals(figures, currency)
        yield "Trial balance", currency, "Total", "", "", None, *totals, None
    for each in figures.statements:
        part = ("Statement", each.currency, str(each.kind.label), OWNERS["exchange"])
        opening, closing = Side.of(each.opening), Side.of(each.closing)
        yield *part, "Opening balance", None, *map(_cell, (opening.debit, opening.credit)), *_NONE
        for line in each.lines:
            label = str(TransferKind(line.kind).label)
            yield *part, label, line.count, *map(_cell, (line.debit, line.credit)), *_NONE
        yield *part, "Closing balance", None, *map(_cell, (closing.debit, closing.credit)), *_NONE
    for found in figures.breaks:
        item = f"{found.day}: {_explain(found)}"
        part = ("Break", found.currency_id or "", str(found.kind), "")
        yield *part, item, None, None, None, None, None, found.difference


_NONE: tuple[Cell, ...] = (None, None, None)


def _cell(amount: Decimal) -> Decimal | None:
    return amount or None


def _totals(figures: MonthFigures, currency: str) -> list[Decimal]:
    """Return the sums of debits and credits, now and before."""
    sums = [Decimal(0)] * 4
    for row in figures.balances[currency]:
        now, before = Side.of(row.now), Side.of(row.before)
        amounts = (now.debit, now.credit, before.debit, before.credit)
        sums = [total + amount for total, amount in zip(sums, amounts, strict=True)]
    return sums


def _print_totals(figures: MonthFigures, currency: str) -> list[str]:
    return [_money(currency, amount) for amount in _totals(figures, currency)]


def _printed_statement(statement: AccountStatement) -> Iterator[Row]:
    currency = statement.currency
    yield Row(("Opening balance", "", *_print(currency, statement.opening)), strong=True)
    for line in statement.lines:
        amounts = [_money(currency, each) if each else "" for each in (line.debit, line.credit)]
        yield Row((str(TransferKind(line.kind).label), f"{line.count:,}", *amounts))
    yield Row(("Closing balance", "", *_print(currency, statement.closing)), strong=True)


def _print(currency: str, amount: Decimal) -> tuple[str, str]:
    side = Side.of(amount)
    debit, credit = (_money(currency, each) if each else "" for each in (side.debit, side.credit))
    return debit, credit


def _print_difference(found: ReconciliationBreak) -> str:
    if found.difference is None or found.currency_id is None:
        return ""
    return f"{_money(found.currency_id, found.difference)} {found.currency_id}"


def _explain(found: ReconciliationBreak) -> str:
    """Return the approved explanation of a closed break, with who closed it."""
    for each in found.explanations.all():
        if each.decided_by_id and each.status == "Approved":
            return f"{found}: {each.explanation} (closed by {each.decided_by})"
    return str(found)


def _money(currency: str, amount: Decimal) -> str:
    return format_grouped(amount, currencies()[currency].decimals)
