"""Reads a statement file of any kind, and refuses what is none by name."""

from wallets.bank_statements.camt import read_camt
from wallets.bank_statements.csv_files import Layout, read_csv
from wallets.bank_statements.entries import Statement
from wallets.bank_statements.errors import UnreadableStatement
from wallets.bank_statements.models import FileKind

# First bytes of files that are uploaded by mistake.
_OTHER_KINDS = {
    b"%PDF": "a PDF document", b"PK\x03\x04": "an Excel workbook or a ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook", b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image", b"GIF8": "an image", b"\x1f\x8b": "a compressed archive",
    b"Rar!": "a compressed archive", b"7z\xbc\xaf": "a compressed archive",
    b":20:": "MT940", b"{1:F01": "MT940", b"OFXHEADER": "OFX",
}  # fmt: skip
_ISSUE = "Export the statement from the bank as CSV or camt.053"


def read_file(data: bytes, layout: Layout | None) -> tuple[FileKind, list[Statement]]:
    """Return kind and statements of a file; `layout` reads a CSV file.

    Raises `UnreadableStatement` with one sentence about what is wrong and where.
    """
    start = data.lstrip()[:40]
    if not start:
        raise UnreadableStatement("The file is empty")
    for first, name in _OTHER_KINDS.items():
        if start.startswith(first):
            raise UnreadableStatement(f"The file is {name}. {_ISSUE}")
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = start[: len(start) // 2 * 2].decode("utf-16" if wide else "latin-1", errors="replace")
    if text.lstrip("\ufeff\xef\xbb\xbf \r\n\t").startswith("<"):
        return FileKind.CAMT, read_camt(data)
    if layout is None:
        raise UnreadableStatement(
            "The file is not camt.053. Of a CSV file, choose the account, and save how its bank"
            " writes CSV on the page of the account"
        )
    return FileKind.CSV, [read_csv(data, layout)]
