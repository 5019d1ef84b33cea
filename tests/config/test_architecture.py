"""Rules beyond import-linter: no hidden imports, no signals, no HTTP in services."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.db.models import Field

CHECKOUT = Path(__file__).resolve().parent.parent.parent
DOCUMENT = CHECKOUT / "docs" / "architecture.md"
PACKAGES = ("config", "exchange", "wallets", "credit", "orders")
RULES = {"models", "posting", "proof", "providers", "selectors", "services", "webhooks"}
# Of providers, which are rules as a whole.
EDGES = ("/admin.py", "/hooks.py")
# An app may reference apps in a lower layer only.
LAYER = {"config": 4, "credit": 3, "orders": 2, "wallets": 1, "exchange": 0}


Trees = dict[str, ast.Module]


@pytest.fixture(scope="module")
def trees() -> Trees:
    """Return the syntax trees of all modules outside migrations, by path."""
    found = {
        str(path.relative_to(CHECKOUT)): ast.parse(path.read_text())
        for package in PACKAGES
        for path in sorted((CHECKOUT / package).rglob("*.py"))
        if "migrations" not in path.parts
    }
    assert len(found) > 400
    return found


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def hidden_imports(tree: ast.AST) -> Iterator[str]:
    """Return the functions and classes that import, with the line."""
    for within in ast.walk(tree):
        if isinstance(within, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for node in ast.walk(within):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield f"{within.name}, line {node.lineno}"


def test_imports_are_at_the_top(trees: Trees) -> None:
    hidden = {name: list(hidden_imports(tree)) for name, tree in trees.items()}
    assert {name: found for name, found in hidden.items() if found} == {}


def test_the_document_names_each_package_with_its_purpose(trees: Trees) -> None:
    packages = {
        f"`{path.removesuffix('__init__.py')}`": ast.get_docstring(tree)
        for path, tree in trees.items()
        if re.fullmatch(r"\w+/\w+/__init__.py", path)
    }
    said = re.findall(r"^\| (`\w+/\w+/`) \| (.+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert len(said) > 30
    assert dict(said) == {
        name: " ".join(purpose.partition("\n\n")[0].split())
        for name, purpose in packages.items()
        if purpose
    }


def test_signals_of_django_are_not_used(trees: Trees) -> None:
    # Those of Celery are its only hooks for the start of a process.
    assert [
        f"{name}: {module}"
        for name, tree in trees.items()
        for module in imported(tree)
        if module.endswith(".signals") or ".signals." in module
        if not module.startswith("celery.")
    ] == []


def test_services_do_not_use_requests(trees: Trees) -> None:
    rules = {
        name
        for name in trees
        if RULES & set(name.removesuffix(".py").split("/")) and not name.endswith(EDGES)
    }
    assert len(rules) > 100
    assert [
        f"{name}: {module}"
        for name in sorted(rules)
        for module in imported(trees[name])
        if module.startswith(("rest_framework", "celery", "django.http"))
    ] == []


def test_every_module_has_a_docstring(trees: Trees) -> None:
    assert [name for name, tree in trees.items() if tree.body and not ast.get_docstring(tree)] == []


def test_modules_are_short_enough(trees: Trees) -> None:
    lengths = {name: len((CHECKOUT / name).read_text().splitlines()) for name in trees}
    assert {name: length for name, length in lengths.items() if length > 450} == {}


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
