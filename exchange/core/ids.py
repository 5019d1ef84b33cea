"""Identifiers: UUIDv7 (RFC 9562 §5.7) generated in Python, and lower-case references.

PostgreSQL 15 has no `uuidv7()`, and a known id lets one SQL call write several related rows.
"""

import os
import threading
import time
import uuid
from datetime import datetime

# Crockford's base 32 in lower case: without i, l, o, u, for reading over the phone.
ALPHABET = b"0123456789abcdefghjkmnpqrstvwxyz"
# 256 is a multiple of 32, so every character is as likely as any other.
_TO_ALPHABET = ALPHABET * 8

_DAY_MILLISECONDS = 24 * 3600 * 1000

_lock = threading.Lock()
_last: tuple[int, int] = (0, 0)


def uuid7() -> uuid.UUID:
    """Return a new UUIDv7; ids of one process sort in order of creation.

    Within a millisecond the 12 bits after the timestamp count up from a random start (RFC 9562
    §6.2, method 1); on overflow the timestamp advances by one.
    """
    global _last  # noqa: PLW0603 - one counter per process
    now = time.time_ns() // 1_000_000
    with _lock:
        then, count = _last
        if now > then:
            then, count = now, int.from_bytes(os.urandom(2)) & 0x7FF
        elif count < 0xFFF:
            count += 1
        else:
            then, count = then + 1, int.from_bytes(os.urandom(2)) & 0x7FF
        _last = (then, count)
    value = (then << 80) | (0x7 << 76) | (count << 64) | (0b10 << 62)
    return uuid.UUID(int=value | (int.from_bytes(os.urandom(8)) >> 2))


def first_id_at(moment: datetime) -> uuid.UUID:
    """Return the smallest UUIDv7 of the millisecond of `moment` (aware), at least that of 1970.

    Lets queries by time use the index of ids. An id is older than the commit of its row, so leave a
    margin where it matters.
    """
    milliseconds = max(0, int(moment.timestamp() * 1000))
    return uuid.UUID(int=(milliseconds << 80) | (0x7 << 76) | (0b10 << 62))


def first_id_since(record_id: str) -> uuid.UUID:
    """Return the smallest id of rows about the record, which are not older than it.

    Clocks may differ by a day. Returns the smallest UUID for a record without a UUIDv7.
    """
    known = parse_id(record_id)
    if known is None or known.version != 7:
        return uuid.UUID(int=0)
    return uuid.UUID(int=max(0, (known.int >> 80) - _DAY_MILLISECONDS) << 80)


def new_reference(prefix: str, length: int = 26) -> str:
    """Return `prefix` and `length` random lower-case characters (5 bits each)."""
    return prefix + os.urandom(length).translate(_TO_ALPHABET).decode()


def parse_id(text: str) -> uuid.UUID | None:
    """Return the UUID in `text`, or None unless it is in canonical form (36 characters).

    Stricter than Python's parser, which accepts braces, `urn:` and missing hyphens.
    """
    if len(text) != 36:
        return None
    try:
        value = uuid.UUID(text)
    except ValueError:
        return None
    return value if str(value) == text.lower() else None
