"""Spreadsheet files: exact cells, no formulas, constant memory."""

import csv
import gc
import io
import re
import tempfile
import tracemalloc
import zipfile
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from exchange.core.text import neutralize
from exchange.exports.sheets import (
    CSV,
    ROWS_PER_SHEET,
    XLSX,
    fits_xlsx_number,
    open_spool,
    write_table,
)

AS_OF = datetime(2026, 11, 20, 12, 0, 0, 123_000, tzinfo=UTC)
LAST = "Complete: {}, as of 2026-11-20T12:00:00.123Z"


def written(form: str, rows: Any, as_of: datetime | None = AS_OF, **options: Any) -> bytes:
    file = io.BytesIO()
    write_table(
        file, form=form, title="Things", headings=["A", "B"], rows=rows, as_of=as_of, **options
    )
    return file.getvalue()


def csv_rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def sheets(data: bytes) -> list[list[tuple[Any, ...]]]:
    book = load_workbook(io.BytesIO(data))
    return [list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets]


def test_csv_holds_every_digit_and_every_letter():
    rows = [
        (Decimal("999999999999999.99000000"), Decimal("-0.10")),
        ('Société, "Générale"', Decimal("1E+4")),
        (7, None),
        (AS_OF, date(2026, 11, 19)),
    ]
    assert csv_rows(written(CSV, rows)) == [
        ["A", "B"],
        ["999999999999999.99", "-0.1"],
        ['Société, "Générale"', "10000"],
        ["7", ""],
        ["2026-11-20T12:00:00.123Z", "2026-11-19"],
        [LAST.format("4 rows")],
    ]


def test_xlsx_writes_numbers_that_a_float_would_change_as_text():
    rows = [
        (Decimal("999999999999999.99"), Decimal("-1234.50000000")),
        (Decimal("9999999999999.99"), 12),
        ("0690000031", 12345678901234567),
    ]
    data = written(XLSX, rows)
    [(first, second, third, fourth, last)] = [tuple(sheet) for sheet in sheets(data)]
    assert first == ("A", "B")
    assert second == ("999999999999999.99", -1234.5)
    assert third == (9999999999999.99, 12)
    assert fourth == ("0690000031", "12345678901234567")
    assert last == (LAST.format("3 rows"), None)
    sheet = load_workbook(io.BytesIO(data)).worksheets[0]
    assert sheet["B2"].number_format == "#,##0.00######"
    assert (sheet["A2"].data_type, sheet["B2"].data_type) == ("s", "n")
    assert (sheet.title, sheet.freeze_panes) == ("Things", "A2")


def test_xlsx_writes_dates_and_times_in_utc_as_date_cells():
    lagos = datetime(2026, 11, 20, 0, 30, 15, 123_456, tzinfo=timezone(timedelta(hours=1)))
    sheet = load_workbook(io.BytesIO(written(XLSX, [(lagos, date(2026, 11, 19))]))).worksheets[0]
    assert sheet["A2"].value.isoformat() == "2026-11-19T23:30:15.123000"
    assert (sheet["A2"].is_date, sheet["A2"].number_format) == (True, "yyyy-mm-dd hh:mm:ss")
    assert sheet["B2"].value.isoformat() == "2026-11-19T00:00:00"
    assert (sheet["B2"].is_date, sheet["B2"].number_format) == (True, "yyyy-mm-dd")


def test_a_time_is_truncated_to_its_millisecond():
    last = datetime(2026, 11, 20, 0, 0, 59, 999_999, tzinfo=UTC)
    sheet = load_workbook(io.BytesIO(written(XLSX, [(last, 1)]))).worksheets[0]
    assert sheet["A2"].value.isoformat() == "2026-11-20T00:00:59.999000"


@pytest.mark.parametrize("rows_per_sheet", [1_000_000, 150])
def test_columns_fit_their_content_within_limits(rows_per_sheet):
    rows: list[tuple[Any, Any]] = [(Decimal("1234567.5"), "x" * 500)] * 100
    rows += [(AS_OF, "")] + [(1, "")] * 200
    data = written(XLSX, rows, rows_per_sheet=rows_per_sheet)
    for sheet in load_workbook(io.BytesIO(data)).worksheets:
        widths = [sheet.column_dimensions[letter].width for letter in "AB"]
        assert widths == [len("yyyy-mm-dd hh:mm:ss") + 2, 60]
    assert len(sheets(data)[0]) == min(rows_per_sheet, 302) + 1
    [cell] = {row[1] for row in sheets(data)[0][1:90]}
    assert cell == "x" * 500
    narrow = load_workbook(io.BytesIO(written(XLSX, [(1, 2)]))).worksheets[0]
    assert narrow.column_dimensions["A"].width == 8


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8, max_value=10**15))
def test_a_number_cell_is_exact(number):
    if fits_xlsx_number(number):
        assert Decimal(repr(float("%.16g" % number))) == number  # noqa: UP031 - as openpyxl writes
        assert len(number.normalize().as_tuple().digits) <= 15


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+254700000001",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "\n@x",
        "\uff1d1+1",
        "\uff0d1",
        "\ufeff=1+1",
        "\u200b \u2066@x",
        "\u3164+1",
    ],
)
def test_text_never_becomes_a_formula(text):
    assert neutralize(text).startswith("'")
    [_, [cell, _], _] = csv_rows(written(CSV, [(text, "")]))
    assert cell == neutralize(text)
    sheet = load_workbook(io.BytesIO(written(XLSX, [(text, "")]))).worksheets[0]
    assert (sheet["A2"].data_type, sheet["A2"].value) == ("s", neutralize(text))


def test_ordinary_text_is_unchanged_and_negative_numbers_stay_numbers():
    assert neutralize("Ada = Obi") == "Ada = Obi"
    assert neutralize("a\x00b\x1fc\r\nd") == "a b c  d"
    assert neutralize("\ud800") == "�"
    assert csv_rows(written(CSV, [(Decimal(-5), -7)]))[1] == ["-5", "-7"]


@pytest.mark.parametrize(
    ("first", "last", "instead"),
    [
        (0x0, 0x1F, " "),
        (0x7F, 0x9F, " "),
        (0x2028, 0x2029, " "),
        (0xFFFE, 0xFFFF, " "),
        (0xD800, 0xDFFF, "\ufffd"),
    ],
)
def test_only_characters_that_are_invalid_in_cells_are_replaced(first, last, instead):
    for code in (first, last):
        assert neutralize(f"a{chr(code)}b") == f"a{instead}b"
    for code in (first - 1, last + 1):
        if code > 0 and not 0xD800 <= code <= 0xDFFF and code != 0x10000:
            assert neutralize(f"a{chr(code)}b") == f"a{chr(code)}b"


def test_whitespace_is_not_a_formula():
    assert neutralize("") == ""
    assert neutralize("  \t ") == "    "
    assert neutralize("a=1") == "a=1"


@pytest.mark.parametrize(
    ("number", "fits"),
    [
        ("123456789012345", True),
        ("1234567890123456", False),
        ("1234567890123450", True),
        ("-12345678.9012345", True),
        ("-12345678.90123456", False),
        ("0.000000000123456789012345", True),
        ("0", True),
    ],
)
def test_a_cell_holds_fifteen_significant_digits(number, fits):
    assert fits_xlsx_number(Decimal(number)) is fits


@pytest.mark.parametrize(
    ("cell", "width"),
    [
        (None, 8),
        ("x" * 6, 8),
        ("x" * 7, 9),
        ("x" * 57, 59),
        ("x" * 58, 60),
        ("x" * 59, 60),
        (Decimal("1234567.5"), 14),
        (Decimal("-1"), 8),
        (12345678, 10),
        (date(2026, 11, 19), 12),
        (AS_OF, 21),
    ],
)
def test_a_column_is_two_characters_wider_than_its_widest_cell(cell, width):
    sheet = load_workbook(io.BytesIO(written(XLSX, [(cell, 1), (None, 1)]))).worksheets[0]
    assert [sheet.column_dimensions[letter].width for letter in "AB"] == [width, 8]


def test_the_first_two_hundred_rows_set_the_column_widths():
    rows: list[tuple[Any, Any]] = [("", "")] * 199 + [("x" * 20, "")] + [("", "x" * 20)]
    sheet = load_workbook(io.BytesIO(written(XLSX, rows))).worksheets[0]
    assert [sheet.column_dimensions[letter].width for letter in "AB"] == [22, 8]


def test_sheets_have_names_and_headings_and_a_row_limit():
    book = load_workbook(io.BytesIO(written(XLSX, [(1, 2)] * 4, rows_per_sheet=2)))
    assert book.sheetnames == ["Things", "Things 2", "Things 3"]
    assert [sheet["A1"].font.bold for sheet in book.worksheets] == [True] * 3
    assert [sheet["A2"].font.bold for sheet in book.worksheets] == [False] * 3
    assert csv_rows(written(CSV, [(1, 2)]))[-1] == [LAST.format("1 row")]
    assert csv_rows(written(CSV, []))[-1] == [LAST.format("0 rows")]
    assert sheets(written(XLSX, [])) == [[("A", "B"), (LAST.format("0 rows"), None)]]


def test_the_name_of_a_sheet_is_truncated():
    file = io.BytesIO()
    title = "Withdrawals that are pending approval"
    counted = write_table(
        file, form=XLSX, title=title, headings=["A"], rows=[[1], [2]], as_of=AS_OF
    )
    assert counted == 2
    assert load_workbook(io.BytesIO(file.getvalue())).sheetnames == [title[:31]]


def test_a_csv_file_starts_with_a_byte_order_mark():
    data = written(CSV, [("é", 1)])
    assert data.startswith(b"\xef\xbb\xbfA,B\r\n")
    assert data.endswith(b"\r\n")


def test_a_full_sheet_is_followed_by_another():
    found = sheets(written(XLSX, [(n, "x") for n in range(5)], rows_per_sheet=3))
    assert [len(sheet) for sheet in found] == [4, 4]
    assert [sheet[0] for sheet in found] == [("A", "B"), ("A", "B")]
    assert found[1][-1] == (LAST.format("5 rows"), None)


def test_a_sheet_holds_a_million_rows():
    """Spreadsheets allow 1,048,576 rows, including headings and the last line."""
    assert ROWS_PER_SHEET == 1_000_000


def test_without_a_time_a_file_is_the_table_alone():
    assert csv_rows(written(CSV, [(1, "x")], as_of=None)) == [["A", "B"], ["1", "x"]]
    assert sheets(written(XLSX, [(1, "x")], as_of=None)) == [[("A", "B"), (1, "x")]]


def test_a_row_is_written_before_the_next_one_is_read():
    file, sizes = io.BytesIO(), []

    def rows():
        for n in range(3):
            sizes.append(len(file.getvalue()))
            yield [n]

    write_table(file, form=CSV, title="Things", headings=["A"], rows=rows(), as_of=AS_OF)
    assert sizes == [6, 9, 12]


def test_a_row_of_the_wrong_length_is_rejected():
    with pytest.raises(ValueError, match="zip"):
        written(XLSX, [(1,)])


@pytest.mark.parametrize("form", [CSV, pytest.param(XLSX, marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_rows(form):
    def peak(count: int) -> int:
        with open_spool() as file:
            tracemalloc.start()
            rows = ((Decimal(n), f"text {n}") for n in range(count))
            write_table(
                file, form=form, title="Things", headings=["A", "B"], rows=rows, as_of=AS_OF
            )
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        return most

    peak(10)
    assert peak(12_000) < peak(4_000) + 1_200_000


@pytest.mark.parametrize("form", [CSV, XLSX])
def test_an_aborted_table_leaves_no_temporary_files(form, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def rows():
        # More than the buffered sample.
        for n in range(250):
            yield [Decimal(n), "x"]
        raise RuntimeError("cut off")

    file = io.BytesIO()
    with pytest.raises(RuntimeError, match="cut off") as refused:
        write_table(
            file,
            form=form,
            title="Things",
            headings=["A", "B"],
            rows=rows(),
            as_of=AS_OF,
            rows_per_sheet=120,
        )
    assert list(tmp_path.iterdir()) == []
    # No file stays open either, although the error still references the table.
    assert refused.tb is not None
    assert [path for path in open_files() if path.startswith(str(tmp_path))] == []
    del refused
    gc.collect()
    # The table is closed, the caller's file is not.
    assert not file.closed


def open_files() -> list[str]:
    """Return the paths of the files this process has open."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            found.append(str(link.readlink()))
    return found


def test_a_failed_save_raises_its_own_error(tmp_path, monkeypatch):
    """Not one about the files of its sheets, which are removed once saved."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    class Disk(io.BytesIO):
        def write(self, data: Any) -> int:
            if bytes(data[:4]) == b"PK\1\2":  # the contents at the book's end
                raise OSError("the disk is full")
            return super().write(data)

    with pytest.raises(OSError, match="the disk is full"):
        write_table(Disk(), form=XLSX, title="T", headings=["A"], rows=[[1]], as_of=AS_OF)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["#N/A", "#REF!", "#DIV/0!", "#", "_x0041_lice", "a_x000D_b", "_x41_"]
)
def test_text_that_looks_like_an_error_or_an_escape_stays_that_text(text):
    assert csv_rows(written(CSV, [(text, "")]))[1] == [text, ""]
    data = written(XLSX, [(text, "")])
    cell = load_workbook(io.BytesIO(data)).worksheets[0]["A2"]
    assert cell.data_type == "s"
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        xml = book.read("xl/worksheets/sheet1.xml").decode()
    # As a spreadsheet reads it: `_x005F_` is the underscore of what would be an escape.
    shown = [unescape(found).replace("_x005F_", "_") for found in re.findall(r"<t>(.*?)</t>", xml)]
    assert text in shown
    assert not re.search(r"_x(?!005F)[0-9A-Fa-f]{4}_", xml.replace("_x005F_x", ""))
    assert 't="e"' not in xml
