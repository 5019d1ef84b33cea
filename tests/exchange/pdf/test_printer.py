"""The printer: a process of its own, which few requests wait for, and which may fail."""

import io
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

import pytest
from pypdf import PdfReader

from exchange.pdf.printer import MAX_DOCUMENTS, Printer, PrinterBusy, take_printer
from exchange.pdf.printout import Column, Printout, Row
from tests.environment.processes import wait_until

MADE_AT = datetime(2025, 7, 4, 10, 15, 2, tzinfo=UTC)


def make_printout() -> Printout:
    printout = Printout("The Exchange", "Statement", "Ada Obi", MADE_AT)
    printout.add_facts([("Account owner", "Ọláyínká")], [("Currency", "KES")])
    printout.add_table((Column("Details"), Column("Amount", 40, right=True)), [Row(("A", "1.00"))])
    return printout


def text_of(file: bytes) -> str:
    [page] = PdfReader(io.BytesIO(file)).pages
    return page.extract_text()


@contextmanager
def every_slot() -> Iterator[None]:
    """Take the printer as often as it can be taken."""
    with ExitStack() as slots:
        for _ in range(MAX_DOCUMENTS):
            slots.enter_context(take_printer())
        yield


@pytest.fixture
def printer() -> Iterator[Printer]:
    found = Printer()
    yield found
    if found._process is not None:
        found._process.kill()
        found._process.wait()


def test_a_document_is_made_by_another_process_of_low_priority(printer):
    text = text_of(printer.print(make_printout()))
    for shown in ("Statement", "Ọláyínká", "A 1.00", "Page 1 of 1"):
        assert shown in text
    process = printer._process
    assert process is not None
    assert process.pid != os.getpid()
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == 15
    assert text_of(printer.print(make_printout())) == text
    assert printer._process is process


def test_what_cannot_be_printed_is_an_error_and_the_next_document_is_printed(printer):
    wrong = make_printout()
    wrong.parts.append(("no_such_part", ()))
    with pytest.raises(RuntimeError, match="no_such_part"):
        printer.print(wrong)
    assert "Ọláyínká" in text_of(printer.print(make_printout()))


@pytest.mark.slow
def test_a_printer_that_was_killed_is_replaced(printer):
    printer.print(make_printout())
    first = printer._process
    assert first is not None
    os.kill(first.pid, signal.SIGSTOP)
    with pytest.raises(PrinterBusy), stopped_soon():
        printer.print(make_printout())
    assert "Ọláyínká" in text_of(printer.print(make_printout()))
    assert printer._process is not first


@contextmanager
def stopped_soon() -> Iterator[None]:
    """Let a document take a quarter of a second at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("exchange.pdf.printer.SECONDS", 0.25)
        yield


def test_it_ends_with_the_process_that_started_it(printer):
    printer.print(make_printout())
    process = printer._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    wait_until(lambda: process.poll() == 0, "the printer ends")


def test_it_is_taken_twice_and_then_refused_at_once():
    with every_slot(), pytest.raises(PrinterBusy), take_printer():
        pass
    with take_printer(), take_printer():
        pass
