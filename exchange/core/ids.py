"""Identifiers: UUIDv7 (RFC 9562 §5.7) made in Python, and references of lower-case characters.

PostgreSQL 15 has no `uuidv7()`, and an id known before the INSERT lets one server-side call write
several related rows.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from datetime import datetime

# Crockford's base 32 in lower case: no i, l, o, u, so a reference read over the phone survives.
ALPHABET = b"0123456789abcdefghjkmnpqrstvwxyz"
# 256 is a multiple of 32, so every character is as likely as any other.
_TO_ALPHABET = ALPHABET * 8

_lock = threading.Lock()
_last: tuple[int, int] = (0, 0)


def uuid7() -> uuid.UUID:
    """A new UUIDv7; ids made by one process sort in the order they were made.

    Within one millisecond the 12 bits after the timestamp count up from a random start
    (RFC 9562 §6.2, method 1); when they overflow, the timestamp runs ahead by one.
    """
    global _last  # noqa: PLW0603 - the counter is the whole point of the module
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
    """The smallest UUIDv7 of the millisecond of `moment` (aware): ids made before it are smaller.

    Rows by time are rows by id, which is indexed everywhere. An id is made shortly before its row
    is committed, so leave a margin where it matters.
    """
    milliseconds = int(moment.timestamp() * 1000)
    return uuid.UUID(int=(milliseconds << 80) | (0x7 << 76) | (0b10 << 62))


def new_reference(prefix: str, length: int = 26) -> str:
    """`prefix` followed by `length` random lower-case characters (5 bits each)."""
    return prefix + os.urandom(length).translate(_TO_ALPHABET).decode()


def parse_id(text: str) -> uuid.UUID | None:
    """The UUID written as `text` in its canonical form (36 characters), or None.

    Python's own parser also takes braces, `urn:` and missing hyphens; a client that sends those
    has mixed up its fields and is told "not found" like for any unknown id.
    """
    if len(text) != 36:
        return None
    try:
        value = uuid.UUID(text)
    except ValueError:
        return None
    return value if str(value) == text.lower() else None
