"""What workers are woken for."""

from __future__ import annotations

from collections.abc import Iterator
from queue import SimpleQueue

import pytest

from exchange import wake


@pytest.fixture
def hinted() -> Iterator[SimpleQueue[str]]:
    """The tasks that workers are woken for."""
    tasks: SimpleQueue[str] = SimpleQueue()
    before = wake._waker
    wake.register(tasks.put)
    yield tasks
    wake._waker = before
