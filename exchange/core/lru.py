"""A bounded in-process cache that evicts the least recently used entry."""

import threading
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A thread-safe mapping of at most `size` entries; values must not be None."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: dict[K, V] = {}
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value of `key` and mark it as used; None if missing."""
        with self._lock:
            value = self._entries.pop(key, None)
            if value is not None:
                self._entries[key] = value
            return value

    def put(self, key: K, value: V) -> None:
        """Store `value` under `key`."""
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = value
            if len(self._entries) > self._size:
                del self._entries[next(iter(self._entries))]
