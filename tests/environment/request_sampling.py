"""Sampling of generated requests: a run sends the same sixth each time, or all of them."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence

# Set by `make requests`.
_EVERY = "EVERY_REQUEST" in os.environ
_PART = 6


def is_chosen(one: str, among: Sequence[str], *request: object) -> bool:
    """Return whether this run sends the request for `one`: for one of `among` each time."""
    chosen = among[zlib.crc32(repr(request).encode()) % len(among)]
    return _EVERY or one == chosen


def is_sent(*request: object) -> bool:
    """Return whether this run sends the request with this description."""
    return _EVERY or zlib.crc32(repr(request).encode()) % _PART == 0
