"""Account names for Nigeria: the published test accounts, and names of `names.csv` for others."""

import csv
import zlib
from pathlib import Path

_PUBLISHED = {
    "0690000031": "Forrest Green",
    "0690000032": "Pastor Bright",
    "0690000036": "Bode George",
    "0690000040": "Alexis Sanchez",
}
with Path(__file__).with_name("names.csv").open(newline="", encoding="utf-8") as _file:
    _ROWS = list(csv.DictReader(_file))
_FIRST = [row["first"] for row in _ROWS]
_LAST = [row["last"] for row in _ROWS if row["last"]]


def account_name(account_number: str) -> str | None:
    """Return the name of a Nigerian account, always the same; None for unknown accounts.

    Numbers other than ten digits, or of one repeated digit, are unknown.
    """
    ten_digits = len(account_number) == 10 and account_number.isascii() and account_number.isdigit()
    if not ten_digits or len(set(account_number)) == 1:
        return None
    published = _PUBLISHED.get(account_number)
    if published is not None:
        return published
    number = zlib.crc32(account_number.encode())
    return f"{_FIRST[number % len(_FIRST)]} {_LAST[number // 31 % len(_LAST)]}"
