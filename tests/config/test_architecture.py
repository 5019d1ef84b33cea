"""What import-linter cannot say: no hidden imports, no signals, no HTTP in rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.db.models import Field

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("config", "exchange", "wallets", "credit", "orders")
RULES = {"ledger", "models", "providers", "selectors", "services", "webhooks"}
# An app may point at those in a lower layer only.
LAYER = {"config": 3, "credit": 2, "orders": 2, "wallets": 1, "exchange": 0}


def sources() -> list[Path]:
    return sorted(
        path
        for package in PACKAGES
        for path in (CHECKOUT / package).rglob("*.py")
        if "migrations" not in path.parts
    )


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return str(path.relative_to(CHECKOUT))


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_stand_at_the_top_and_signals_are_not_used(path: Path) -> None:
    tree = ast.parse(path.read_text())
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            hidden = [n for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)]
            assert not hidden, f"{function.name} imports at line {hidden[0].lineno}"
    signals = [name for name in imported(tree) if name.endswith(".signals") or ".signals." in name]
    assert signals == []


@pytest.mark.parametrize(
    "path",
    # `wallets/ledger/…` and `wallets/ledger.py` are rules; `wallets/admin/ledger.py` is an edge.
    [p for p in sources() if p.relative_to(CHECKOUT).parts[1].removesuffix(".py") in RULES],
    ids=name_of,
)
def test_rules_know_no_request(path: Path) -> None:
    names = set(imported(ast.parse(path.read_text())))
    assert not {n for n in names if n.startswith(("rest_framework", "celery", "django.http"))}


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_a_module_says_what_it_is_and_stays_readable(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 450
    assert not text.strip() or ast.get_docstring(ast.parse(text))


def test_foreign_keys_point_down_the_layers() -> None:
    wrong = [
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, Field) and field.related_model is not None
        if model._meta.app_label in LAYER and field.related_model._meta.app_label in LAYER
        if LAYER[model._meta.app_label] < LAYER[field.related_model._meta.app_label]
    ]
    assert wrong == []
