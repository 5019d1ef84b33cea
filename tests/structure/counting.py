"""Count logical lines: Python statements, and SQL lines that are not blank or comments."""

from __future__ import annotations

import ast
from pathlib import Path


def count_lines(folder: Path) -> tuple[int, int]:
    """Return the logical lines of Python and SQL in `folder`, without migrations."""
    files = [path for path in folder.rglob("*") if "migrations" not in path.parts]
    python = sum(_statements(path.read_text()) for path in files if path.suffix == ".py")
    sql = sum(_lines(path.read_text()) for path in files if path.suffix == ".sql")
    return python, sql


def _statements(source: str) -> int:
    """Count the statements without docstrings; a clause with a body counts as one."""
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(source))
    )


def _lines(source: str) -> int:
    return sum(
        bool(line.strip()) and not line.strip().startswith("--") for line in source.splitlines()
    )
