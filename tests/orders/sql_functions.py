"""What the tests of orders call functions of PostgreSQL by."""

from __future__ import annotations

from tests.environment.owner import as_owner
from tests.environment.sql_functions import Record, Records, call, expression

__all__ = ["Record", "Records", "as_owner", "call", "expression"]
