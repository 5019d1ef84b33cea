"""The program of the printer: print what arrives on standard input until it ends."""

import pickle
import sys
import traceback

from exchange.pdf.document import make_pdf
from exchange.pdf.printout import HEAD


def main() -> None:
    """Respond to each message with the file, or with the error."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while head := source.read(HEAD.size):
        _, length = HEAD.unpack(head)
        try:
            # From the web process that started this one.
            succeeded, result = True, make_pdf(pickle.loads(source.read(length)))  # noqa: S301
        except Exception:  # noqa: BLE001 - the other process raises it
            succeeded, result = False, traceback.format_exc().encode()
        target.write(HEAD.pack(succeeded, len(result)) + result)
        target.flush()


if __name__ == "__main__":
    main()
