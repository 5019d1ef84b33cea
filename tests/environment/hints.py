"""What workers are woken for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from exchange.core import wake


@pytest.fixture
def hints() -> Iterator[list[str]]:
    """The tasks that workers are woken for."""
    tasks: list[str] = []
    before = wake._waker
    wake.register(tasks.append)
    yield tasks
    wake._waker = before
