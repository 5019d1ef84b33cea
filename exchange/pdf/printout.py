"""What a document contains, as data that can be handed to the process that prints it."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

# Before a message between the two processes: whether it is what was wanted, and its bytes.
HEAD = struct.Struct(">?Q")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: heading, width in millimetres (0: what is left), alignment."""

    heading: str
    width: float = 0
    right: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; `note` is small text below the widest cell."""

    cells: Sequence[str]
    note: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Printout:
    """The parts of a document, from top to bottom.

    `title` and `subject` are repeated on every page; `made_at` is the time it shows.
    """

    issuer: str
    title: str
    subject: str
    made_at: datetime
    # Method of `exchange.pdf.document.PrintedDocument` and its arguments.
    parts: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def add_facts(self, left: Sequence[tuple[str, str]], right: Sequence[tuple[str, str]]) -> None:
        """Add labelled texts in two columns."""
        self.parts.append(("facts", (left, right)))

    def add_figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Add labelled amounts side by side."""
        self.parts.append(("figures", (figures,)))

    def add_paragraph(self, text: str) -> None:
        """Add small text over the whole width."""
        self.parts.append(("paragraph", (text,)))

    def add_table(self, columns: Sequence[Column], rows: Iterable[Row]) -> None:
        """Add a table; its headings are repeated on every page."""
        self.parts.append(("lines", (columns, list(rows))))


def print_time(moment: datetime) -> str:
    """Format `moment` for people: `4 July 2025, 10:15:02 UTC`."""
    utc = moment.astimezone(UTC)
    return f"{print_day(utc)}, {utc:%H:%M:%S} UTC"


def print_day(moment: datetime) -> str:
    """Format the day of `moment` in UTC for people: `4 July 2025`."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y}"
