"""Spreadsheet files, CSV and XLSX, written row by row with little memory.

CSV has numbers in plain notation with every digit. An XLSX cell is a binary float, exact for up to
15 significant digits; longer numbers are written as text so that no digit is lost. Dates and times,
in UTC, are ISO 8601 in CSV and date cells in XLSX. XLSX columns fit the content of the first rows.

Text may come from clients, so formulas are neutralized: a leading apostrophe stops a spreadsheet
from evaluating them, also behind spaces and invisible characters. Control characters become spaces.
In XLSX text that looks like an error (`#N/A`) or like an escape (`_x0041_`) stays that text.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import TYPE_STRING
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from exchange.core.numbers import format_plain
from exchange.core.text import neutralize
from exchange.core.timestamps import wire_time

Cell = str | int | Decimal | date | None

CSV, XLSX = "csv", "xlsx"
FILE_FORMATS = {CSV: "CSV", XLSX: "Excel (XLSX)"}
MEDIA_TYPES = {
    CSV: "text/csv; charset=utf-8",
    XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

# Every decimal of up to so many digits is exact in a double.
EXACT_DIGITS = 15
# Below the limit of 1,048,576 rows; the next sheet repeats the headings.
ROWS_PER_SHEET = 1_000_000
# What XLSX reads as a character of this code (ECMA-376 §22.4.2.4).
_ESCAPE = re.compile(r"_x[0-9A-Fa-f]{4}_")
_NUMBER_FORMAT = "#,##0.00######"
_DAY_FORMAT, _TIME_FORMAT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
# Columns are sized by the first rows, within these widths in characters.
_WIDTH_SAMPLE_ROWS = 200
_MIN_WIDTH, _MAX_WIDTH = 8, 60
_SPOOL_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column: its heading, and its value for a record."""

    heading: str
    value: Callable[[Any], Cell]


def fits_xlsx_number(number: Decimal) -> bool:
    """Return whether an XLSX number cell holds `number` exactly."""
    return len(format_plain(abs(number)).replace(".", "").strip("0")) <= EXACT_DIGITS


class _CsvTable:
    def __init__(self, file: IO[bytes], headings: Sequence[str]) -> None:
        # The byte order mark tells spreadsheets that the file is UTF-8.
        self._text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
        self._writer = csv.writer(self._text)
        self.row(headings)

    def row(self, cells: Sequence[Cell]) -> None:
        self._writer.writerow([_csv_cell(cell) for cell in cells])

    def close(self, last: str) -> None:
        if last:
            self.row([last])
        self._text.detach()

    def abort(self) -> None:
        self._text.detach()


class _XlsxTable:
    def __init__(
        self, file: IO[bytes], title: str, headings: Sequence[str], rows_per_sheet: int
    ) -> None:
        self._file = file
        self._title = title
        self._headings = headings
        self._rows_per_sheet = rows_per_sheet
        self._book = Workbook(write_only=True)
        self._bold = Font(bold=True)
        # Widths must be set before the first row, so the sample rows are buffered.
        self._buffered: list[Sequence[Cell]] | None = []
        self._widths: list[int] = []

    def row(self, cells: Sequence[Cell]) -> None:
        if self._buffered is None:
            self._write(cells)
            return
        self._buffered.append(cells)
        if len(self._buffered) >= _WIDTH_SAMPLE_ROWS:
            self._flush()

    def close(self, last: str) -> None:
        self._flush()
        if last:
            self._write([last])
        self._book.save(self._file)

    def _flush(self) -> None:
        """Set the column widths by the buffered rows, and write them."""
        if self._buffered is None:
            return
        rows, self._buffered = self._buffered, None
        self._widths = [
            max(_width(cell) for cell in column)
            for column in zip(self._headings, *rows, strict=True)
        ]
        self._begin()
        for cells in rows:
            self._write(cells)

    def _begin(self) -> None:
        number = len(self._book.worksheets) + 1
        name = self._title if number == 1 else f"{self._title} {number}"
        self._sheet = self._book.create_sheet(name[:31])
        self._sheet.freeze_panes = "A2"
        for place, width in enumerate(self._widths, start=1):
            self._sheet.column_dimensions[get_column_letter(place)].width = width
        heads = []
        for heading in self._headings:
            cell = WriteOnlyCell(self._sheet, heading)
            cell.font = self._bold
            heads.append(cell)
        self._sheet.append(heads)
        self._rows = 0

    def _write(self, cells: Sequence[Cell]) -> None:
        if self._rows >= self._rows_per_sheet:
            self._begin()
        self._rows += 1
        self._sheet.append([self._cell(cell) for cell in cells])

    def _cell(self, value: Cell) -> Any:
        if isinstance(value, Decimal):
            exact = fits_xlsx_number(value)
            return self._formatted(value, _NUMBER_FORMAT) if exact else format_plain(value)
        if isinstance(value, int):
            return value if fits_xlsx_number(Decimal(value)) else str(value)
        if isinstance(value, datetime):
            return self._formatted(_cell_time(value), _TIME_FORMAT)
        if isinstance(value, date):
            return self._formatted(value, _DAY_FORMAT)
        return self._text_cell(_text(value))

    def _text_cell(self, text: str) -> Any:
        escaped = _ESCAPE.sub(r"_x005F\g<0>", text)
        if not escaped.startswith("#"):
            return escaped
        cell = WriteOnlyCell(self._sheet, escaped)
        cell.data_type = TYPE_STRING  # not an error value
        return cell

    def _formatted(self, value: Decimal | date, number_format: str) -> WriteOnlyCell:
        cell = WriteOnlyCell(self._sheet, value)
        cell.number_format = number_format
        return cell

    def abort(self) -> None:
        # The library keeps each sheet in a temporary file until the book is saved or the process
        # ends, which may be a long time for a worker.
        for sheet in self._book.worksheets:
            with suppress(Exception):  # closing may be what failed
                sheet.close()
            Path(sheet._writer.out).unlink(missing_ok=True)


def _cell_time(value: datetime) -> datetime:
    """Return the UTC time to the millisecond, without a zone, which a cell cannot hold."""
    utc = value.astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000, tzinfo=None)


def _width(value: Cell) -> int:
    """Return the column width for `value`, in characters."""
    if isinstance(value, Decimal):
        shown = f"{value:,.2f}"
    elif isinstance(value, datetime):
        shown = _TIME_FORMAT
    else:
        shown = _csv_cell(value)
    return min(max(len(shown) + 2, _MIN_WIDTH), _MAX_WIDTH)


def _csv_cell(value: Cell) -> str:
    if isinstance(value, Decimal):
        return format_plain(value)
    return str(value) if isinstance(value, int) else _text(value)


def _text(value: str | date | None) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return wire_time(value)
    return value.isoformat() if isinstance(value, date) else neutralize(value)


def write_table(
    file: IO[bytes],
    *,
    form: str,
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    as_of: datetime | None = None,
    rows_per_sheet: int = ROWS_PER_SHEET,
) -> int:
    """Write headings and `rows`; return the row count. `file` is left open.

    With `as_of` a last line marks the table complete: a file without it is incomplete.
    """
    table: _CsvTable | _XlsxTable
    if form == XLSX:
        table = _XlsxTable(file, title, headings, rows_per_sheet)
    else:
        table = _CsvTable(file, headings)
    count = 0
    try:
        for cells in rows:
            table.row(cells)
            count += 1
        last = (
            f"Complete: {count} row{'' if count == 1 else 's'}, as of {wire_time(as_of)}"
            if as_of
            else ""
        )
        table.close(last)
    except BaseException:
        table.abort()
        raise
    return count


def open_spool() -> IO[bytes]:
    """Return a temporary file that spills to disk as it grows and is deleted when closed."""
    return SpooledTemporaryFile(max_size=_SPOOL_BYTES)
