"""The database of a module whose tests only read, and books to write in by plain SQL."""

from __future__ import annotations

from tests.environment.module_database import module_rows
from tests.factories.plain_sql import books

__all__ = ["books", "module_rows"]
