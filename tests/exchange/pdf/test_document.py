"""Printed documents: names in every script, page numbers, repeated headings, long text."""

import io
from datetime import UTC, datetime

import pytest
from pypdf import PdfReader

from exchange.pdf.document import PrintedDocument
from exchange.pdf.printout import Column, Printout, Row

MADE_AT = datetime(2025, 7, 4, 10, 15, 2, tzinfo=UTC)
COLUMNS = (Column("Details"), Column("Amount", 40, right=True))


def make(subject: str = "Ada Obi") -> PrintedDocument:
    return PrintedDocument(Printout("The Exchange", "Statement", subject, MADE_AT))


def pages_of(document: PrintedDocument) -> list[str]:
    reader = PdfReader(io.BytesIO(document.to_bytes()))
    return [page.extract_text() for page in reader.pages]


@pytest.mark.parametrize(
    "name",
    [
        "Ọláyínká Ṣódiípọ̀",
        "Ɓala Ɗanladi Ƙofar Ƴar'adua",
        "Kwabena Ɔheneba Ŋkrumah Ɛdem",
        "Nḓivhuwo Ṱhavhani",
        "አበበ ቢቂላ",
        "Χρήστος Петров",
    ],
)
def test_a_name_is_printed_with_all_its_letters_and_marks(name):
    document = make()
    document.facts([("Account owner", name)], [])
    [text] = pages_of(document)
    assert name in text
    assert "\N{REPLACEMENT CHARACTER}" not in text


def test_arabic_is_shaped_and_runs_from_right_to_left():
    document = make()
    document.facts([("Account owner", "محمد عبد الرحمن")], [])
    [text] = pages_of(document)
    # The text of a page is in the order of its glyphs, from left to right.
    assert "الرحمن عبد محمد" in text
    # Letters that join have other glyphs than single ones.
    alone = make()
    alone.facts([("Account owner", " ".join("محمد"))], [])
    assert _glyph_widths(document) != _glyph_widths(alone)


def _glyph_widths(document: PrintedDocument) -> list[int]:
    """Return the widths of the used Arabic glyphs."""
    reader = PdfReader(io.BytesIO(document.to_bytes()))
    fonts = reader.pages[0]["/Resources"]["/Font"]  # type: ignore[index]
    arabic = [
        font
        for font in (each.get_object() for each in fonts.values())
        if "Arabic" in font["/BaseFont"]
    ]
    return [
        int(width) if isinstance(width, int | float) else len(width)
        for font in arabic
        for width in font["/DescendantFonts"][0].get_object()["/W"]
    ]


def test_what_no_font_has_is_replaced_and_invisible_characters_are_dropped():
    document = make()
    document.facts([("Account owner", "Ada 王 \u202eObi\u200f\x07 Ltd")], [])
    [text] = pages_of(document)
    assert "Ada \N{REPLACEMENT CHARACTER} Obi Ltd" in text


def test_a_long_table_repeats_its_headings_and_counts_its_pages():
    document = make()
    document.heading()
    document.lines(COLUMNS, [Row((f"Row {n}", f"{n}.00"), note=f"ref-{n}") for n in range(100)])
    pages = pages_of(document)
    assert len(pages) > 2
    for number, text in enumerate(pages, start=1):
        assert text.count("Details") == 1
        assert f"Page {number} of {len(pages)}" in text
        assert "Made 4 July 2025, 10:15:02 UTC" in text
        assert ("Statement · Ada Obi" in text) == (number > 1)
    whole = "\n".join(pages)
    missing = [n for n in range(100) if f"Row {n} {n}.00\nref-{n}\n" not in f"{whole}\n"]
    assert missing == []


def test_long_text_is_broken_into_lines_and_cut_at_the_third():
    document = make()
    document.lines(COLUMNS, [Row(("word " * 100, "1.00")), Row(("x" * 500, "2.00"))])
    [text] = pages_of(document)
    lines = text.splitlines()
    assert sum(line.startswith("word") for line in lines) == 3
    assert sum(line.startswith("xxx") for line in lines) == 3
    assert text.count("…") == 2


def test_a_figure_too_wide_for_its_column_is_printed_smaller_and_whole():
    document = make()
    amount = "999,999,999,999,999,999.99"
    document.figures([("Balance", amount)] * 4)
    document.lines((Column("Details"), Column("Amount", 15, right=True)), [Row(("x", amount))])
    [text] = pages_of(document)
    assert text.count(amount) == 5
