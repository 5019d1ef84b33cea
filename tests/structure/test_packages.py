"""Packages are ordered by their imports."""

from __future__ import annotations

import pytest

from tests.structure.counting import count_lines
from tests.structure.packages import Package, layers


def package(name: str, *uses: str, app: str = "shop") -> Package:
    return Package(app, name, "", frozenset(uses))


def test_each_package_is_above_those_that_it_imports():
    packages = [
        package("a", "b", "d"),
        package("b", "c"),
        package("c"),
        package("d", "c"),
        package("z", app="x"),
    ]
    assert [{each.name for each in layer} for layer in layers("shop", packages)] == [
        {"a"}, {"b", "d"}, {"c"},
    ]  # fmt: skip


def test_an_import_cycle_names_its_packages():
    packages = [package("a", "b"), package("b", "c"), package("c", "b"), package("d")]
    with pytest.raises(ValueError, match=r"packages of shop import each other: a, b, c"):
        layers("shop", packages)


def test_blank_lines_comments_and_docstrings_do_not_count(tmp_path):
    (tmp_path / "rules.py").write_text(
        '"""What it is."""\n\nimport os\n\n\n# Why.\ndef add(a, b):\n    """Add."""\n'
        "    if a:\n        return (\n            a + b\n        )\n    return b\n"
    )
    (tmp_path / "rules.sql").write_text("-- Why.\n\nSELECT 1\n    FROM x;\n")
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "one.py").write_text("a = 1\n")
    assert count_lines(tmp_path) == (5, 2)
