"""Which of the requests that are made up a run sends: the same part each time, or all of them."""

from __future__ import annotations

import os
import zlib

# `make requests` sends every one.
_EVERY = "EVERY_REQUEST" in os.environ
_PART = 6


def is_sent(*request: object) -> bool:
    """Whether this run sends `request`, whatever describes it."""
    return _EVERY or zlib.crc32(repr(request).encode()) % _PART == 0
