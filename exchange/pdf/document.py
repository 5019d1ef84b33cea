"""An A4 document: heading, facts, figures, tables with repeated headings, page x of y.

Built by fpdf2, which embeds the used part of each font. HarfBuzz shapes lines with letters beyond
ASCII (decision 42); lines of figures do without, which takes a quarter of the time.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from fpdf import FPDF

from exchange.pdf.printout import Column, Printout, Row, print_time
from exchange.pdf.text import printable

_FONTS = Path(__file__).parent / "fonts"
_LATIN = "latin"
_FALLBACKS = {"arabic": "NotoSansArabic-Regular.ttf", "ethiopic": "NotoSansEthiopic-Regular.ttf"}

# Millimetres.
_LEFT, _TOP, _BOTTOM = 18.0, 16.0, 20.0
WIDTH = 210.0 - 2 * _LEFT
_GAP = 2.0
_LINE, _NOTE_LINE, _PADDING = 4.0, 3.1, 1.1

# Points.
_BODY, _SMALL, _NOTE, _TITLE, _FIGURE = 8.5, 6.8, 6.2, 17.0, 11.0
_MAX_LINES = 3

_Colour = tuple[int, int, int]
_INK: _Colour = (28, 32, 38)
_GREY: _Colour = (100, 108, 118)
_RULE: _Colour = (205, 210, 216)
_ACCENT: _Colour = (22, 72, 104)
_SHADE: _Colour = (243, 245, 247)


class PrintedDocument(FPDF):
    """A document of the exchange for a customer, on whose pages the parts of `printout` are put."""

    def __init__(self, printout: Printout) -> None:
        super().__init__(format="A4")
        self._printout = printout
        self.add_font(_LATIN, "", _FONTS / "NotoSans-Regular.ttf")
        self.add_font(_LATIN, "B", _FONTS / "NotoSans-Bold.ttf")
        for family, file in _FALLBACKS.items():
            self.add_font(family, "", _FONTS / file)
        self.set_fallback_fonts(list(_FALLBACKS), exact_match=False)
        self._subject = printable(printout.subject, _glyphs())
        self.set_title(printout.title)
        self.set_author(printout.issuer)
        self.set_creator(printout.issuer)
        self.set_lang("en")
        self.set_creation_date(printout.made_at)
        self.set_margins(_LEFT, _TOP, _LEFT)
        self.set_auto_page_break(False)
        self.set_line_width(0.2)
        self.c_margin = 0
        self.add_page()

    # --- parts, from top to bottom ---

    def heading(self) -> None:
        """Print the issuer and the title."""
        self._line(self._printout.issuer, size=_BODY, colour=_GREY, height=5)
        self.set_y(self.get_y() + 5)
        self._line(self._printout.title, size=_TITLE, bold=True, colour=_ACCENT, height=9)
        self.set_y(self.get_y() + 11)
        self._rule(_ACCENT)
        self.set_y(self.get_y() + 4)

    def facts(self, left: Sequence[tuple[str, str]], right: Sequence[tuple[str, str]]) -> None:
        """Print labelled texts in two columns."""
        top, ends, width = self.get_y(), [], (WIDTH - 8) / 2
        for x, facts in ((_LEFT, left), (_LEFT + width + 8, right)):
            self.set_y(top)
            for label, value in facts:
                self.set_x(x)
                self._line(label, width=width, size=_SMALL, colour=_GREY, height=_NOTE_LINE)
                self.set_y(self.get_y() + _NOTE_LINE)
                for text in self._wrap(value, width, size=9.5):
                    self.set_x(x)
                    self._line(text, width=width, size=9.5, height=4.8)
                    self.set_y(self.get_y() + 4.8)
                self.set_y(self.get_y() + 1.6)
            ends.append(self.get_y())
        self.set_y(max(ends) + 2)

    def figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Print labelled amounts side by side in a shaded box."""
        height, width = 15.0, WIDTH / len(figures)
        top = self.get_y()
        self.set_fill_color(*_SHADE)
        self.rect(_LEFT, top, WIDTH, height, style="F")
        for place, (label, value) in enumerate(figures):
            self.set_xy(_LEFT + place * width + 3, top + 2.4)
            self._line(label, width=width - 6, size=_SMALL, colour=_GREY, height=4)
            self.set_xy(_LEFT + place * width + 3, top + 7)
            size = self._fitting_size(value, width - 6, _FIGURE)
            self._line(value, width=width - 6, size=size, bold=True, height=5)
        self.set_y(top + height + 5)

    def paragraph(self, text: str) -> None:
        """Print small text over the whole width."""
        lines = self._wrap(text, WIDTH, size=7.5, most=12)
        self._make_room(len(lines) * 3.8)
        for line in lines:
            self.set_x(_LEFT)
            self._line(line, size=7.5, colour=_GREY, height=3.8)
            self.set_y(self.get_y() + 3.8)
        self.set_y(self.get_y() + 2)

    def lines(self, columns: Sequence[Column], rows: Iterable[Row]) -> None:
        """Print a table; its headings are repeated on every page."""
        rest = WIDTH - sum(column.width for column in columns)
        widths = [column.width or rest for column in columns]
        widest = widths.index(max(widths))
        self._make_room(3 * _LINE + 6 * _PADDING)
        self._headings(columns, widths)
        for row in rows:
            lines = self._wrap(row.cells[widest], widths[widest] - _GAP, bold=row.strong)
            notes = self._wrap(row.note, widths[widest] - _GAP, size=_NOTE) if row.note else []
            height = len(lines) * _LINE + len(notes) * _NOTE_LINE + 2 * _PADDING
            if not self._fits(height):
                self.add_page()
                self._headings(columns, widths)
            top, x = self.get_y() + _PADDING, _LEFT
            for place, (column, width, text) in enumerate(
                zip(columns, widths, row.cells, strict=True)
            ):
                for number, line in enumerate(lines if place == widest else [text]):
                    self.set_xy(x, top + number * _LINE)
                    self._cell(line, column, width, bold=row.strong)
                x += width
            for number, note in enumerate(notes):
                self.set_xy(
                    _LEFT + sum(widths[:widest]), top + len(lines) * _LINE + number * _NOTE_LINE
                )
                self._line(
                    note,
                    width=widths[widest] - _GAP,
                    size=_NOTE,
                    colour=_GREY,
                    height=_NOTE_LINE,
                )
            self.set_y(top - _PADDING + height)
            self._rule(_RULE)
        self.set_y(self.get_y() + 5)

    def to_bytes(self) -> bytes:
        """Return the finished file."""
        return bytes(self.output())

    # --- called by fpdf2 for every page ---

    def header(self) -> None:
        """Print what the document is at the top of every page but the first."""
        self.set_xy(_LEFT, _TOP)
        if self.page_no() > 1:
            text = f"{self._printout.title} · {self._subject}"
            self._line(text, size=_SMALL, colour=_GREY, height=4)
            self.set_xy(_LEFT, _TOP + 7)

    def footer(self) -> None:
        """Print the issuer, the time and the page number."""
        self.set_xy(_LEFT, -_BOTTOM + 7)
        self._rule(_RULE)
        self.set_xy(_LEFT, -_BOTTOM + 8.5)
        made = f"{self._printout.issuer} · Made {print_time(self._printout.made_at)}"
        self._line(made, size=_SMALL, colour=_GREY)
        # fpdf2 replaces `{nb}` by the number of pages at the end: room for two digits.
        self.set_xy(_LEFT + self._width("{nb}") - self._width("00"), -_BOTTOM + 8.5)
        self.cell(WIDTH, _LINE, f"Page {self.page_no()} of {{nb}}", align="R")

    # --- lines of text ---

    def _headings(self, columns: Sequence[Column], widths: Sequence[float]) -> None:
        top, x = self.get_y() + _PADDING, _LEFT
        for column, width in zip(columns, widths, strict=True):
            self.set_xy(x, top)
            self._cell(column.heading, column, width, bold=True, size=_SMALL + 0.4, colour=_ACCENT)
            x += width
        self.set_y(top + _LINE + _PADDING)
        self._rule(_ACCENT)

    def _cell(
        self,
        text: str,
        column: Column,
        width: float,
        *,
        bold: bool = False,
        size: float = _BODY,
        colour: _Colour = _INK,
    ) -> None:
        """Print a cell of a table; a number that is too wide is printed smaller."""
        room = width if column.right else width - _GAP
        if column.right:
            size = self._fitting_size(text, room - 1, size)
        self._line(
            text,
            width=room,
            size=size,
            bold=bold,
            colour=colour,
            height=_LINE,
            right=column.right,
        )

    def _line(
        self,
        text: str,
        *,
        width: float = WIDTH,
        size: float = _BODY,
        bold: bool = False,
        colour: _Colour = _INK,
        height: float = _LINE,
        right: bool = False,
    ) -> None:
        """Print one line at the current position, which stays."""
        if not text:
            return
        x, y = self.get_x(), self.get_y()
        self.set_font(_LATIN, "B" if bold else "", size)
        self.set_text_color(*colour)
        if text.isascii():
            if right:
                x += width - self._width(text)
            # The baseline of `cell`.
            self.text(x, y + height / 2 + 0.3 * self.font_size, text)
        else:
            self.set_text_shaping(True)
            self.cell(width, height, text, align="R" if right else "L")
            self.set_xy(x, y)

    def _wrap(
        self, text: str, width: float, *, size: float = _BODY, bold: bool = False, most: int = 0
    ) -> list[str]:
        """Return `text` as lines of at most `width`, at most `most` (default 3) of them."""
        text = printable(text, _glyphs())
        self.set_font(_LATIN, "B" if bold else "", size)
        if self._width(text) <= width:
            return [text]
        lines, line, most = [], "", most or _MAX_LINES
        for word in self._breakable(text, width):
            longer = f"{line} {word}" if line else word
            if line and self._width(longer) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
        if len(lines) > most:
            lines = lines[:most]
            lines[-1] = f"{lines[-1][: max(1, len(lines[-1]) - 2)]}…"
        return lines

    def _breakable(self, text: str, width: float) -> list[str]:
        """Return the words of `text`, with those too long for a line in parts."""
        words: list[str] = []
        for word in text.split(" "):
            rest = word
            while len(rest) > 1 and (needed := self._width(rest)) > width:
                part = max(1, int(len(rest) * width / needed) - 1)
                words.append(rest[:part])
                rest = rest[part:]
            words.append(rest)
        return words

    def _width(self, text: str) -> float:
        """Return the width of `text` in the current font."""
        if text.isascii() and self.current_font is not None:
            _, points = self.current_font.get_text_width(text, self.font_size_pt, None)
            return points / self.k
        self.set_text_shaping(True)
        return self.get_string_width(text)

    def _fitting_size(self, text: str, width: float, size: float) -> float:
        """Return `size`, or the smaller one at which `text` fits `width`."""
        self.set_font(_LATIN, "B", size)
        needed = self._width(text)
        return size if needed <= width else size * width / needed

    # --- space ---

    def _fits(self, height: float) -> bool:
        return self.get_y() + height <= self.h - _BOTTOM

    def _make_room(self, height: float) -> None:
        """Begin a page unless `height` is left on this one."""
        if not self._fits(height):
            self.add_page()

    def _rule(self, colour: _Colour) -> None:
        self.set_draw_color(*colour)
        self.line(_LEFT, self.get_y(), _LEFT + WIDTH, self.get_y())


@cache
def _glyphs() -> frozenset[int]:
    """Return the characters that the fonts have."""
    probe = FPDF()
    files = ["NotoSans-Regular.ttf", *_FALLBACKS.values()]
    for place, file in enumerate(files):
        probe.add_font(str(place), "", _FONTS / file)
    return frozenset(code for font in probe.fonts.values() for code in font.cmap)  # type: ignore[union-attr]


def make_pdf(printout: Printout) -> bytes:
    """Return `printout` as PDF."""
    document = PrintedDocument(printout)
    document.heading()
    for part, arguments in printout.parts:
        getattr(document, part)(*arguments)
    return document.to_bytes()
