"""The rooms of the product: folders of an app that hold a subject, and which imports which."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import grimp

# From top to bottom; credit and orders stand beside each other.
APPS = ("config", "credit", "orders", "wallets", "exchange")
_NO_ROOMS = {"management", "migrations", "settings", "static"}


@dataclass(frozen=True)
class Room:
    """One folder: what it says of itself, and the rooms of its app that it imports."""

    app: str
    name: str
    purpose: str
    uses: frozenset[str]


def rooms_of(root: Path) -> list[Room]:
    """Every room below `root`; imports that only name a type do not count."""
    graph = grimp.build_graph(*APPS, exclude_type_checking_imports=True, cache_dir=None)
    names = {
        (app, path.parent.name)
        for app in APPS
        for path in (root / app).glob("*/__init__.py")
        if path.parent.name not in _NO_ROOMS
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
        Room(app, name, _purpose(root / app / name), frozenset(uses[app, name]))
        for app, name in sorted(names)
    ]


def floors(app: str, rooms: list[Room]) -> list[list[Room]]:
    """The rooms of `app` from top to bottom: each stands above all that it imports.

    Raises `ValueError` for rooms that import each other in a circle.
    """
    left = {room.name: room for room in rooms if room.app == app}
    found: list[list[Room]] = []
    while left:
        lowest = [room for room in left.values() if not room.uses & left.keys()]
        if not lowest:
            raise ValueError(f"rooms of {app} import each other: {', '.join(sorted(left))}")
        found.insert(0, lowest)
        left = {name: room for name, room in left.items() if room not in lowest}
    return found


def _purpose(folder: Path) -> str:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    return " ".join(text.partition("\n\n")[0].split())
