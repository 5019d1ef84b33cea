"""The database of a module whose tests only read."""

from __future__ import annotations

from tests.environment.module_database import module_rows

__all__ = ["module_rows"]
