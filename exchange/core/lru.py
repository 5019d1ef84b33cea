"""What a process remembers, within bounds: the entries used longest ago are forgotten first."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A mapping of at most `size` entries, for many threads. None cannot be kept."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: dict[K, V] = {}
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """The entry of `key`, which counts as used now; None when there is none."""
        with self._lock:
            found = self._entries.pop(key, None)
            if found is not None:
                self._entries[key] = found
            return found

    def put(self, key: K, value: V) -> None:
        """Keeps `value` under `key`."""
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = value
            if len(self._entries) > self._size:
                del self._entries[next(iter(self._entries))]
