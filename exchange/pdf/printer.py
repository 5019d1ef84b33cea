"""The printer: a process that makes documents, for one web process, one after another.

Making a document holds an interpreter for up to some seconds. In a process of its own, with a low
priority, it takes neither the interpreter nor the processor from requests. One document is made and
one more waits; a request for a further one is refused at once, since it would hold a thread.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import structlog

from exchange.core.errors import NotReady
from exchange.pdf.printout import HEAD, Printout

logger = structlog.get_logger(__name__)

# The document that is made and those that wait.
MAX_DOCUMENTS = 2
# The longest time for one document; the longest takes 4 seconds of a processor.
SECONDS = 30.0
_NICENESS = 15
_ROOT = Path(__file__).parents[2]


class PrinterBusy(NotReady):
    """Other documents are being made (503)."""

    code = "printer_busy"
    message = "Other documents are being made. Please try again in some seconds"
    retry_after = 5


class Printer:
    """The process, started with the first document."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def print(self, printout: Printout) -> bytes:
        """Return `printout` as PDF. Raises `PrinterBusy` when this takes too long."""
        data = pickle.dumps(printout)
        if not self._turn.acquire(timeout=SECONDS):
            raise PrinterBusy
        try:
            process = self._running_process()
            timer = threading.Timer(SECONDS, process.kill)
            timer.start()
            try:
                succeeded, result = _exchange(process, data)
            finally:
                timer.cancel()
        except OSError as error:
            logger.exception("pdf.printer_ended")
            raise PrinterBusy from error
        finally:
            self._turn.release()
        if not succeeded:
            raise RuntimeError(result.decode())
        return result

    def _running_process(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "exchange.pdf"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                start_new_session=True,
            )
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _NICENESS)
        return self._process


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> tuple[bool, bytes]:
    """Send `data`, and return whether it was printed, with the file or the error."""
    source, target = process.stdout, process.stdin
    if source is None or target is None:
        raise BrokenPipeError
    try:
        target.write(HEAD.pack(True, len(data)) + data)  # noqa: FBT003 - a field of the message
        target.flush()
        succeeded, length = HEAD.unpack(_read(source, HEAD.size))
        return succeeded, _read(source, length)
    except OSError:
        process.kill()
        process.wait()
        raise


def _read(source: IO[bytes], length: int) -> bytes:
    """Return the next `length` bytes. Raises `BrokenPipeError` when fewer come."""
    data = source.read(length)
    if len(data) != length:
        raise BrokenPipeError
    return data


_printer = Printer()
_slots = threading.BoundedSemaphore(MAX_DOCUMENTS)


@contextmanager
def take_printer() -> Iterator[Printer]:
    """Yield the printer; take it before reading what is printed. Raises `PrinterBusy` at once."""
    if not _slots.acquire(blocking=False):
        raise PrinterBusy
    try:
        yield _printer
    finally:
        _slots.release()
