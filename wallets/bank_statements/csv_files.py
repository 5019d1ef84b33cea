"""Reads CSV files of banks, as the layout of the account says."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import ClassVar

import msgspec

from exchange.core.numbers import format_grouped
from wallets.bank_statements.entries import BookedEntry, Statement, check_count, check_entry, clean
from wallets.bank_statements.errors import UnreadableStatement

ENCODINGS = {"utf-8": "UTF-8", "cp1252": "Windows-1252", "utf-16": "UTF-16"}
DELIMITERS = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar"}
DECIMAL_SIGNS = {".": "Point (1,234.50)", ",": "Comma (1.234,50)"}
DATE_FORMATS = {
    "%Y-%m-%d": "2026-03-31", "%d/%m/%Y": "31/03/2026", "%m/%d/%Y": "03/31/2026",
    "%d.%m.%Y": "31.03.2026", "%d-%m-%Y": "31-03-2026", "%d-%b-%Y": "31-Mar-2026",
    "%d %b %Y": "31 Mar 2026", "%d/%m/%y": "31/03/26", "%Y/%m/%d": "2026/03/31",
    "%Y%m%d": "20260331",
}  # fmt: skip
# Above the header some banks write their name and the period.
_HEADER_WITHIN = 50
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# Signs before, behind or around the number, or the letters of a debit or credit.
_SIGNED = re.compile(
    r"(?P<open>\()?(?P<lead>[-+\u2212])? ?(?P<number>[0-9.,'\u2019 ]+?) ?(?P<trail>[-+\u2212])?"
    r"(?P<close>\))? ?(?P<mark>CR|DR)?",
    re.IGNORECASE,
)
_NUMBERS = {
    sign: re.compile(rf"(?:[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|[0-9]*)(?:\{sign}[0-9]{{1,8}})?")
    for sign, group in {".": "[,'\u2019 ]", ",": "[.'\u2019 ]"}.items()
}


class Layout(msgspec.Struct, frozen=True):
    """How a bank writes CSV: how its values look, and in which columns they are.

    A column is the name in its heading; empty: the file has none. The amount is one signed column,
    or a debit and a credit column, whose debits are positive unless `debits_signed`.
    """

    encoding: str
    delimiter: str
    decimal: str
    date_format: str
    date: str
    value_date: str = ""
    amount: str = ""
    debit: str = ""
    credit: str = ""
    debits_signed: bool = False
    bank_reference: str = ""
    payment_reference: str = ""
    counterparty: str = ""
    description: str = ""
    balance: str = ""

    COLUMNS: ClassVar[Sequence[str]] = (
        "date", "value_date", "amount", "debit", "credit", "bank_reference", "payment_reference",
        "counterparty", "description", "balance",
    )  # fmt: skip


def read_csv(data: bytes, layout: Layout) -> Statement:
    """Return the statement of a file. Raises `UnreadableStatement`, naming the line."""
    found = list(_read_lines(data, layout))
    if not found:
        raise UnreadableStatement("The file has no lines below its headings")
    _check_balances(found)
    balanced = all(balance is not None for _, _, balance in found)
    return Statement("", "", [entry for _, entry, _ in found if entry.amount], balanced)


def _read_lines(data: bytes, layout: Layout) -> Iterator[tuple[int, BookedEntry, Decimal | None]]:
    """Yield number, entry and balance of each line."""
    reader = csv.reader(
        io.StringIO(_decode(data, layout.encoding), newline=""),
        delimiter=layout.delimiter,
        strict=True,
    )
    places: dict[str, int] | None = None
    first: list[str] = []
    width = count = 0
    try:
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if places is None:
                first = first or row
                places, width = _find_columns(row, layout), len(row)
                if places is None and reader.line_num > _HEADER_WITHIN:
                    break
                continue
            count += 1
            check_count(count)
            if len(row) < width:
                raise UnreadableStatement(
                    f"Line {reader.line_num} is cut off: it has {len(row)} of {width} columns"
                )
            if any(cell.strip() for cell in row[width:]):
                raise UnreadableStatement(
                    f"Line {reader.line_num} has more columns than the headings. Check the"
                    " delimiter"
                )
            cells = {name: row[place].strip() for name, place in places.items()}
            yield reader.line_num, *_read_row(f"Line {reader.line_num}", cells, layout)
    except csv.Error as error:
        raise UnreadableStatement(
            f"Line {reader.line_num} is cut off or not CSV: {error}"
        ) from error
    if places is None:
        wanted = ", ".join(getattr(layout, name) for name in _used(layout))
        raise UnreadableStatement(
            f"No line has the headings of the saved layout: {wanted}. The file starts with:"
            f" {clean(', '.join(first))[:200]}"
        )


def _used(layout: Layout) -> list[str]:
    return [name for name in Layout.COLUMNS if getattr(layout, name)]


def _find_columns(row: Sequence[str], layout: Layout) -> dict[str, int] | None:
    """Return the places of the columns if `row` has all headings, or None."""
    headings = [clean(cell).casefold() for cell in row]
    wanted = {name: clean(getattr(layout, name)).casefold() for name in _used(layout)}
    if not set(wanted.values()) <= set(headings):
        return None
    for heading in wanted.values():
        if headings.count(heading) > 1:
            raise UnreadableStatement(f'The heading "{heading}" is in the file twice')
    return {name: headings.index(heading) for name, heading in wanted.items()}


def _decode(data: bytes, encoding: str) -> str:
    """Return the text. A byte order mark prevails over `encoding`."""
    marked = next((name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), "")
    try:
        text = data.decode(marked or encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableStatement(
            f"Line {line} is not {ENCODINGS.get(encoding, encoding)}. Choose another encoding in"
            " the layout of the account"
        ) from error
    if "\x00" in text:
        raise UnreadableStatement("The file is neither CSV nor camt.053, or has another encoding")
    return text


def _read_row(
    place: str, cells: dict[str, str], layout: Layout
) -> tuple[BookedEntry, Decimal | None]:
    booked_on = _read_date(place, cells["date"], layout.date_format)
    value = cells.get("value_date", "")
    entry = BookedEntry(
        booked_on=booked_on,
        value_on=_read_date(place, value, layout.date_format) if value else booked_on,
        amount=_read_amount(place, cells, layout),
        bank_reference=cells.get("bank_reference", ""),
        payment_reference=cells.get("payment_reference", ""),
        counterparty=cells.get("counterparty", ""),
        description=cells.get("description", ""),
    )
    balance = cells.get("balance", "")
    found = check_entry(place, entry)
    return found, read_number(place, balance, layout.decimal) if balance else None


# A file has few days and many lines.
@lru_cache(maxsize=1024)
def _parse_date(text: str, date_format: str) -> date:
    return datetime.strptime(text, date_format).date()  # noqa: DTZ007 - a day has no zone


def _read_date(place: str, text: str, date_format: str) -> date:
    # Some banks add the time of day.
    day = text if " " in date_format else text.partition(" ")[0]
    try:
        return _parse_date(day, date_format)
    except ValueError as error:
        raise UnreadableStatement(
            f'{place}: "{clean(text)[:30]}" is not a date like {DATE_FORMATS[date_format]}'
        ) from error


def _read_amount(place: str, cells: dict[str, str], layout: Layout) -> Decimal:
    """Return the signed amount."""
    if layout.amount:
        return read_number(place, cells["amount"], layout.decimal)
    debit, credit = (
        read_number(place, cells[name], layout.decimal) if cells[name] else Decimal(0)
        for name in ("debit", "credit")
    )
    if debit and credit:
        raise UnreadableStatement(f"{place} has both a debit and a credit")
    if not (cells["debit"] or cells["credit"]):
        raise UnreadableStatement(f"{place} has neither a debit nor a credit")
    return credit or (debit if layout.debits_signed else -debit)


def read_number(place: str, text: str, decimal: str) -> Decimal:
    """Return the signed number in `text`, such as `-1.234,50`, `(1,234.50)` or `1,234.50 DR`.

    A separator of thousands has three digits behind it, so that no decimal comma passes for one.
    """
    plain = " ".join(text.replace("\u00a0", " ").replace("\u202f", " ").split())
    found = _SIGNED.fullmatch(plain)
    number = found["number"] if found else ""
    if found is None or not _NUMBERS[decimal].fullmatch(number) or not number.strip("., "):
        raise UnreadableStatement(
            f'{place}: "{clean(text)[:30]}" is not an amount with a decimal'
            f" {'point' if decimal == '.' else 'comma'}"
        )
    signs = [sign for sign in (found["lead"], found["trail"], found["mark"]) if sign]
    if bool(found["open"]) != bool(found["close"]) or len(signs) + bool(found["open"]) > 1:
        raise UnreadableStatement(f'{place}: "{clean(text)[:30]}" has more than one sign')
    digits = re.sub(rf"[^0-9{re.escape(decimal)}]", "", number).replace(decimal, ".")
    negative = bool(found["open"]) or bool({*(s.upper() for s in signs)} & {"-", "\u2212", "DR"})
    return -Decimal(digits) if negative else Decimal(digits)


def _check_balances(lines: Sequence[tuple[int, BookedEntry, Decimal | None]]) -> None:
    """Raise `UnreadableStatement` unless each balance follows, from the first or the last line."""
    breaks = [_find_break(lines), _find_break(lines[::-1])]
    if all(breaks):
        _, number, expected, balance = max(each for each in breaks if each)
        raise UnreadableStatement(
            f"Line {number}: the balance is {format_grouped(balance, 2)} instead of"
            f" {format_grouped(expected, 2)}, a difference of"
            f" {format_grouped(balance - expected, 2)}. Lines are missing, or a sign is wrong"
        )


def _find_break(
    lines: Sequence[tuple[int, BookedEntry, Decimal | None]],
) -> tuple[int, int, Decimal, Decimal] | None:
    """Return the first balance that does not follow: its place, line, and both balances."""
    expected: Decimal | None = None
    for place, (number, entry, balance) in enumerate(lines):
        if expected is not None:
            expected += entry.amount
        if balance is not None:
            if expected is not None and expected != balance:
                return place, number, expected, balance
            expected = balance
    return None
