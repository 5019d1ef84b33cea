"""CSV files of banks: as the layout says, every line once, with the right sign."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.factories.bank_statements import layout
from wallets.bank_statements.csv_files import DATE_FORMATS, read_csv, read_number
from wallets.bank_statements.entries import BookedEntry
from wallets.bank_statements.errors import UnreadableStatement
from wallets.bank_statements.reading import read_file

HEAD = "Date,Reference,Details,Amount\n"
# Debit and credit apart, as most banks of the region write them.
APART: dict[str, Any] = {"amount": "", "debit": "Debit", "credit": "Credit", "balance": "Balance"}
APART_HEAD = "Date,Reference,Details,Debit,Credit,Balance\n"


def entries(text: str | bytes, **changes: Any) -> list[BookedEntry]:
    data = text.encode() if isinstance(text, str) else text
    return read_csv(data, layout(**changes)).entries


def amounts(text: str | bytes, **changes: Any) -> list[Decimal]:
    return [each.amount for each in entries(text, **changes)]


def refusal(text: str | bytes, **changes: Any) -> str:
    with pytest.raises(UnreadableStatement) as refused:
        entries(text, **changes)
    return refused.value.message


def test_a_line_keeps_day_amount_reference_and_words():
    (only,) = entries(
        HEAD.replace("Amount", "Amount,Valuta,Payer,EndToEnd")
        + '02/11/2026, FT1 ,"Salary, November\nsecond line","1,234.50",03/11/2026,Achieng,INV-7\n',
        value_date="valuta", counterparty="PAYER", payment_reference="EndToEnd",
    )  # fmt: skip
    assert only == BookedEntry(
        date(2026, 11, 2), date(2026, 11, 3), Decimal("1234.50"), "FT1", "INV-7", "Achieng",
        "Salary, November second line",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("1,234.50", ".", "1234.50"), ("1234.5", ".", "1234.5"), (".50", ".", "0.50"),
        ("-1,234,567.89", ".", "-1234567.89"), ("1,234.50-", ".", "-1234.50"),
        ("(1,234.50)", ".", "-1234.50"), ("1,234.50 DR", ".", "-1234.50"),
        ("1,234.50 Cr", ".", "1234.50"), ("+7", ".", "7"), ("\u2212 7.00", ".", "-7"),
        ("1'234.50", ".", "1234.50"),
        ("1.234,50", ",", "1234.50"), ("1 234,50", ",", "1234.50"), ("-12,3", ",", "-12.3"),
        ("1\u00a0234,50", ",", "1234.50"), ("1\u202f234", ",", "1234"), ("1.234", ",", "1234"),
    ],
)  # fmt: skip
def test_numbers_are_read_as_banks_write_them(text, decimal, number):
    assert read_number("Line 1", text, decimal) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "decimal"),
    [
        ("1,50", "."), ("1.50", ","), ("1,2345.00", "."), ("12,34,567", "."), ("1.234.50", "."),
        ("1,234.50.1", "."), ("", "."), (".", "."), ("-", "."), ("1e3", "."), ("NaN", "."),
        ("\u0661", "."), ("0x1", "."), ("1.234567891", "."), ("KES 5", "."), ("12 34", "."),
    ],
)  # fmt: skip
def test_a_number_that_may_be_another_one_is_refused(text, decimal):
    with pytest.raises(UnreadableStatement, match=r"Line 9: .* is not an amount with a decimal"):
        read_number("Line 9", text, decimal)


@pytest.mark.parametrize("text", ["-5-", "(-5)", "-5 DR", "(5", "5)", "(5) CR"])
def test_a_number_has_one_sign(text):
    with pytest.raises(UnreadableStatement, match="more than one sign"):
        read_number("Line 9", text, ".")


def test_debits_leave_and_credits_arrive():
    text = APART_HEAD + (
        "02/11/2026,A,in,,500.00,1500.00\n"
        "02/11/2026,B,out,200.00,,1300.00\n"
        "03/11/2026,B,out given back,-200.00,,1500.00\n"
    )
    assert amounts(text, **APART) == [500, -200, 200]
    signed = text.replace(",200.00,", ",-200.00,", 1).replace(",-200.00,,1500", ",200.00,,1500")
    assert amounts(signed, debits_signed=True, **APART) == [500, -200, 200]
    assert refusal(text, debits_signed=True, **APART).startswith("Line 3: the balance is 1,300.00")


def test_a_line_has_a_debit_or_a_credit():
    assert refusal(APART_HEAD + "02/11/2026,A,x,1,2,3\n", **APART) == (
        "Line 2 has both a debit and a credit"
    )
    assert refusal(APART_HEAD + "02/11/2026,A,x,,,3\n", **APART) == (
        "Line 2 has neither a debit nor a credit"
    )
    assert amounts(APART_HEAD + "02/11/2026,A,x,0.00,7,3\n", **APART) == [7]


def test_balances_follow_from_the_first_or_the_last_line():
    lines = ["02/11/2026,A,x,,5.00,105.00", "02/11/2026,B,x,3.00,,102.00", "03/11/2026,C,x,,1,103"]
    for order in (lines, lines[::-1]):
        found = read_csv((APART_HEAD + "\n".join(order)).encode(), layout(**APART))
        assert found.balanced
        assert {each.amount for each in found.entries} == {5, -3, 1}


def test_a_line_that_is_missing_breaks_the_balance():
    rest = "02/11/2026,A,x,,5.00,105.00\n03/11/2026,C,x,,1,103\n03/11/2026,D,x,,1,104\n"
    assert refusal(APART_HEAD + rest, **APART) == (
        "Line 3: the balance is 103.00 instead of 106.00, a difference of -3.00. Lines are missing,"
        " or a sign is wrong"
    )


def test_balances_at_the_end_of_a_day_are_compared_too():
    text = APART_HEAD + "02/11/2026,A,x,,5,105\n02/11/2026,B,x,3,,\n02/11/2026,C,x,,1,103\n"
    found = read_csv(text.encode(), layout(**APART))
    assert not found.balanced
    assert [each.amount for each in found.entries] == [5, -3, 1]
    assert "Line 4: the balance is 104.00 instead of 103.00" in refusal(
        text.replace(",103", ",104"), **APART
    )


@pytest.mark.parametrize(
    ("encoding", "named"),
    [("utf-8", "utf-8"), ("utf-8-sig", "cp1252"), ("cp1252", "cp1252"), ("utf-16", "cp1252"),
     ("utf-16-le", "utf-16")],
)  # fmt: skip
def test_encodings_are_those_of_the_layout_or_of_the_byte_order_mark(encoding, named):
    (only,) = entries((HEAD + "02/11/2026,A,Café,1\n").encode(encoding), encoding=named)
    assert only.description == "Café"


def test_another_encoding_names_the_line():
    data = (HEAD + "02/11/2026,A,Cafe,1\n02/11/2026,A,Café,1\n").encode("cp1252")
    assert refusal(data) == (
        "Line 3 is not UTF-8. Choose another encoding in the layout of the account"
    )
    assert refusal(HEAD.encode() + b"02/11/2026,\x00,x,1\n") == (
        "The file is neither CSV nor camt.053, or has another encoding"
    )


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_delimiters_and_comma_decimals(delimiter):
    text = (HEAD + "02/11/2026,A,x,1.234@50\n").replace(",", delimiter).replace("@", ",")
    assert amounts(text, delimiter=delimiter, decimal=",") == [Decimal("1234.50")]


@pytest.mark.parametrize(("written", "example"), DATE_FORMATS.items())
def test_dates_are_read_as_their_example_shows(written, example):
    (only,) = entries(HEAD + f"{example},A,x,1\n", date_format=written)
    assert only.booked_on == date(2026, 3, 31)


def test_a_date_of_another_form_is_refused_and_a_time_left_out():
    assert entries(HEAD + "02/11/2026 10:15:00,A,x,1\n")[0].booked_on == date(2026, 11, 2)
    assert refusal(HEAD + "11/31/2026,A,x,1\n") == (
        'Line 2: "11/31/2026" is not a date like 31/03/2026'
    )
    assert "is in the future" in refusal(HEAD + "02/11/2126,A,x,1\n")


def test_headings_are_found_below_the_words_of_the_bank():
    text = f"The Bank\nAccount,1234\n\n{HEAD}\n02/11/2026,A,x,5\n,,,\n"
    assert amounts(text) == [5]
    assert refusal("Datum,Betrag\n02/11/2026,5\n") == (
        "No line has the headings of the saved layout: Date, Amount, Reference, Details. The file"
        " starts with: Datum, Betrag"
    )
    assert refusal("x\n" * 60 + HEAD + "02/11/2026,A,x,5\n").startswith("No line has the headings")
    assert refusal("Date,Amount,Reference,Details,amount\n") == (
        'The heading "amount" is in the file twice'
    )
    assert refusal(HEAD) == "The file has no lines below its headings"


def test_a_file_that_is_cut_off_names_the_line():
    assert refusal(HEAD + "02/11/2026,A,x,5\n03/11/2026,B") == (
        "Line 3 is cut off: it has 2 of 4 columns"
    )
    assert refusal(HEAD + "02/11/2026,A,x\n") == "Line 2 is cut off: it has 3 of 4 columns"
    assert refusal(HEAD + '02/11/2026,A,"x,5\n') == (
        "Line 2 is cut off or not CSV: unexpected end of data"
    )
    assert refusal(HEAD + "02/11/2026,A,x,1,234.50\n") == (
        "Line 2 has more columns than the headings. Check the delimiter"
    )
    assert amounts(HEAD + "02/11/2026,A,x,1,,\n") == [1]


def test_the_number_of_lines_is_limited(monkeypatch):
    monkeypatch.setattr("wallets.bank_statements.entries.MAX_LINES", 2)
    line = "02/11/2026,A,x,5\n"
    assert amounts(HEAD + line * 2) == [5, 5]
    assert refusal(HEAD + line * 3) == "The file has more than 2 lines. Divide it by days"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"%PDF-1.7", "a PDF document"), (b"PK\x03\x04xl/", "an Excel workbook or a ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1", "an old Excel workbook"), (b"\x89PNG\r\n", "an image"),
        (b"\xff\xd8\xff\xe0", "an image"), (b"GIF89a", "an image"),
        (b"\x1f\x8b\x08", "a compressed archive"), (b"\r\n:20:ABC\r\n", "MT940"),
        (b"{1:F01BANK", "MT940"), (b"OFXHEADER:100", "OFX"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_named(data, named):
    with pytest.raises(UnreadableStatement, match=rf"^The file is {named}\. Export the statement"):
        read_file(data, layout())


def test_csv_needs_a_layout_and_xml_none():
    with pytest.raises(UnreadableStatement, match="Of a CSV file, choose the account"):
        read_file(HEAD.encode(), None)
    with pytest.raises(UnreadableStatement, match=r"The file is <html>, not camt\.053"):
        read_file("<html/>".encode("utf-16"), None)
    with pytest.raises(UnreadableStatement, match="The file is empty"):
        read_file(b" \r\n", layout())
