"""Event loops for tests, next to the one that Playwright keeps in the thread of tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import connections

Result = TypeVar("Result")


def run_apart(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run `coroutine` in a thread of its own, and return its result."""

    def run() -> Result:
        try:
            return asyncio.run(coroutine)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()
