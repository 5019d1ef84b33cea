"""Logical lines of the product: statements of Python, and lines of SQL that say something."""

from __future__ import annotations

import ast
from pathlib import Path


def lines_of(folder: Path) -> tuple[int, int]:
    """Logical lines of Python and of SQL in `folder`, without migrations, comments, docstrings."""
    files = [path for path in folder.rglob("*") if "migrations" not in path.parts]
    python = sum(_statements(path.read_text()) for path in files if path.suffix == ".py")
    sql = sum(_lines(path.read_text()) for path in files if path.suffix == ".sql")
    return python, sql


def _statements(source: str) -> int:
    """How many statements there are, docstrings left out; a clause with a body counts as one."""
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(source))
    )


def _lines(source: str) -> int:
    return sum(
        bool(line.strip()) and not line.strip().startswith("--") for line in source.splitlines()
    )
