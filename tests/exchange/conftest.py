"""The database of read-only test modules, and books for tests that write plain SQL."""

from tests.environment.module_database import module_rows
from tests.factories.plain_sql import books

__all__ = ["books", "module_rows"]
