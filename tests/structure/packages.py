"""Read the packages of each app, the folders that hold a subject, and their imports."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import grimp

# From top to bottom; credit and orders are on the same level.
APPS = ("config", "credit", "orders", "wallets", "exchange")
_EXCLUDED = {"management", "migrations", "settings", "static"}


@dataclass(frozen=True)
class Package:
    """One folder: its docstring, and the packages of its app that it imports."""

    app: str
    name: str
    purpose: str
    uses: frozenset[str]


def read_packages(root: Path) -> list[Package]:
    """Return every package below `root`; imports for type checking do not count."""
    graph = grimp.build_graph(*APPS, exclude_type_checking_imports=True, cache_dir=None)
    names = {
        (app, path.parent.name)
        for app in APPS
        for path in (root / app).glob("*/__init__.py")
        if path.parent.name not in _EXCLUDED
    }
    uses: dict[tuple[str, str], set[str]] = {each: set() for each in names}
    for module in graph.modules:
        app, _, rest = module.partition(".")
        here = (app, rest.partition(".")[0])
        for other in graph.find_modules_directly_imported_by(module) if here in names else ():
            there = tuple(other.split(".")[:2])
            if there in names and there[0] == app and there != here:
                uses[here].add(there[1])
    return [
        Package(app, name, _purpose(root / app / name), frozenset(uses[app, name]))
        for app, name in sorted(names)
    ]


def layers(app: str, packages: list[Package]) -> list[list[Package]]:
    """Return the packages of `app` from top to bottom, each above those that it imports.

    Raises `ValueError` for an import cycle.
    """
    left = {package.name: package for package in packages if package.app == app}
    found: list[list[Package]] = []
    while left:
        lowest = [package for package in left.values() if not package.uses & left.keys()]
        if not lowest:
            raise ValueError(f"packages of {app} import each other: {', '.join(sorted(left))}")
        found.insert(0, lowest)
        left = {name: package for name, package in left.items() if package not in lowest}
    return found


def _purpose(folder: Path) -> str:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    return " ".join(text.partition("\n\n")[0].split())
