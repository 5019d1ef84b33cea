"""A statement as a wire document, as a table for spreadsheets, and as a document to print."""

import io
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.http import HttpResponse

from exchange.api import files
from exchange.core.currencies import currencies, format_money
from exchange.core.numbers import format_grouped
from exchange.exports.sheets import CSV, Cell, write_table
from exchange.pdf.printer import take_printer
from exchange.pdf.printout import Column, Printout, Row, print_time
from wallets.ledger.models import AccountKind
from wallets.statements.selectors import Balance, Movement, Statement
from wallets.statements.wording import describe

TITLE = "Account statement"
_HEADINGS = (
    *("Time (UTC)", "Details", "Reference", "Type", "Currency", "Amount", "Change of available"),
    *("Balance", "Available", "Subject ID", "Movement ID", "Client reference"),
)
_COLUMNS = (
    Column("Time (UTC)", 29),
    Column("Details"),
    Column("Money out", 22, right=True),
    Column("Money in", 22, right=True),
    Column("Balance", 24, right=True),
    Column("Available", 24, right=True),
)
# What the parts of a balance are for, other than what is available.
_PURPOSES = {
    "escrow": "set aside for open withdrawals",
    "reserved": "set aside for open orders",
    "lien": "cash collateral of loans",
    "uncleared": "received and not yet cleared",
    "receivable": "owed to the exchange",
}


def to_wire(statement: Statement) -> dict[str, Any]:
    """Return the statement as the API answers it."""
    owner = statement.owner
    return {
        "owner": owner.id,
        "owner_model": owner.model,
        "owner_name": owner.name,
        "currency": statement.currency,
        "from": statement.period.begins,
        "to": statement.period.to,
        "opening": _wire_balance(statement.opening),
        "money_in": statement.money_in,
        "money_out": statement.money_out,
        "closing": _wire_balance(statement.closing),
        "movements": [_wire_movement(statement, each) for each in statement.movements],
        "createdAt": statement.made_at,
    }


def to_csv(statement: Statement) -> bytes:
    """Return the statement as CSV: opening balance, movements, closing balance."""
    file = io.BytesIO()
    write_table(file, form=CSV, title=TITLE, headings=_HEADINGS, rows=_csv_rows(statement))
    return file.getvalue()


def to_printout(statement: Statement) -> Printout:
    """Return the statement as a document to print."""
    owner, currency, period = statement.owner, statement.currency, str(statement.period)
    document = Printout(
        issuer=settings.UNFOLD["SITE_TITLE"],
        title=TITLE,
        subject=f"{owner.name} · {currency} · {period}",
        made_at=statement.made_at,
    )
    member_of = [("Member of", owner.organisation)] if owner.organisation else []
    document.add_facts(
        [("Account owner", owner.name), *member_of, ("Account", f"{currency} · {owner.id}")],
        [
            ("Period (UTC)", period),
            ("Currency", currency),
            ("Made", print_time(statement.made_at)),
        ],
    )
    document.add_figures(
        [
            (f"Opening balance ({currency})", _money(statement, statement.opening.total)),
            ("Money in", _money(statement, statement.money_in)),
            ("Money out", _money(statement, statement.money_out)),
            (f"Closing balance ({currency})", _money(statement, statement.closing.total)),
        ]
    )
    document.add_table(_COLUMNS, _printed_rows(statement))
    document.add_paragraph(_explain(statement))
    return document


def make_file(form: str, read: Callable[[], Statement], owner: str = "") -> HttpResponse:
    """Return the statement that `read` reads as a file in `form`, whose name starts with `owner`.

    For a PDF a printer is taken first: while all are busy, nothing is read.
    """
    if form == "csv":
        statement = read()
        content, kind = to_csv(statement), files.CSV
    else:
        with take_printer() as printer:
            statement = read()
            content, kind = printer.print(to_printout(statement)), files.PDF
    return files.file_response(content, kind, f"{owner}{statement.file_name}.{form}")


def _printed_rows(statement: Statement) -> Iterator[Row]:
    opening, closing, period = statement.opening, statement.closing, statement.period
    yield _balance_row(statement, f"{period.begins:%d %b %Y}", "Opening balance", opening)
    for movement in statement.movements:
        amount = movement.change.total
        yield Row(
            (
                f"{movement.created_at:%d %b %Y %H:%M}",
                describe(statement, movement),
                _money(statement, -amount) if amount < 0 else "",
                _money(statement, amount) if amount > 0 else "",
                _money(statement, movement.after.total),
                _money(statement, movement.after.available),
            ),
            note=movement.reference,
        )
    if not statement.movements:
        yield Row(("", "No movements in this period", "", "", "", ""))
    yield _balance_row(statement, f"{period.to:%d %b %Y}", "Closing balance", closing)


def _balance_row(statement: Statement, day: str, words: str, balance: Balance) -> Row:
    money = (_money(statement, balance.total), _money(statement, balance.available))
    return Row((day, words, "", "", *money), strong=True)


def _explain(statement: Statement) -> str:
    """Return what the closing balance consists of, and what the columns mean."""
    closing = statement.closing
    held = [
        f"{format_money(abs(amount), statement.currency)} {_PURPOSES[kind]}"
        for kind, amount in closing.parts.items()
        if amount and kind in _PURPOSES
    ]
    of_it = f", {', '.join(held)}" if held else ""
    return (
        f"Closing balance: {format_money(closing.total, statement.currency)}; available"
        f" {format_money(closing.available, statement.currency)}{of_it}. Balance is all money of"
        " the account. Available is what can be spent: not what is set aside for open withdrawals"
        " and orders. Times are in UTC. Each movement has its reference below it."
    )


def _money(statement: Statement, amount: Decimal) -> str:
    return format_grouped(amount, currencies()[statement.currency].decimals)


def _csv_rows(statement: Statement) -> Iterator[list[Cell]]:
    opening, closing = statement.opening, statement.closing
    yield _csv_balance(statement, statement.period.begins, "Opening balance", opening)
    for movement in statement.movements:
        yield [
            movement.created_at,
            describe(statement, movement),
            movement.reference,
            movement.kind,
            statement.currency,
            movement.change.total,
            movement.change.available,
            movement.after.total,
            movement.after.available,
            str(movement.subject_id or ""),
            str(movement.id),
            movement.client_reference or "",
        ]
    yield _csv_balance(statement, statement.period.to, "Closing balance", closing)


def _csv_balance(statement: Statement, moment: Any, words: str, balance: Balance) -> list[Cell]:
    currency, total = statement.currency, balance.total
    return [moment, words, "", "", currency, None, None, total, balance.available, "", "", ""]


def _wire_balance(balance: Balance) -> dict[str, Decimal]:
    owed = abs(balance.parts[AccountKind.RECEIVABLE])
    parts = {str(kind): amount for kind, amount in balance.parts.items()}
    return {**parts, "receivable": owed, "total": balance.total}


def _wire_movement(statement: Statement, movement: Movement) -> dict[str, Any]:
    return {
        "_id": movement.id,
        "type": movement.kind,
        "description": describe(statement, movement),
        "reference": movement.reference,
        "client_reference": movement.client_reference,
        "subject": movement.subject_id,
        "amount": movement.change.total,
        "available_change": movement.change.available,
        "balance": movement.after.total,
        "available": movement.after.available,
        "createdAt": movement.created_at,
    }
