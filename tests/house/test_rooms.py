"""How rooms are ordered by what they import."""

from __future__ import annotations

import pytest

from tests.house.counting import lines_of
from tests.house.rooms import Room, floors


def room(name: str, *uses: str, app: str = "shop") -> Room:
    return Room(app, name, "", frozenset(uses))


def test_each_room_stands_above_all_that_it_imports():
    rooms = [room("a", "b", "d"), room("b", "c"), room("c"), room("d", "c"), room("z", app="x")]
    assert [{each.name for each in floor} for floor in floors("shop", rooms)] == [
        {"a"}, {"b", "d"}, {"c"},
    ]  # fmt: skip


def test_rooms_that_import_each_other_in_a_circle_are_named():
    rooms = [room("a", "b"), room("b", "c"), room("c", "b"), room("d")]
    with pytest.raises(ValueError, match=r"rooms of shop import each other: a, b, c"):
        floors("shop", rooms)


def test_lines_are_statements_and_sql_that_says_something(tmp_path):
    (tmp_path / "rules.py").write_text(
        '"""What it is."""\n\nimport os\n\n\n# Why.\ndef add(a, b):\n    """Add."""\n'
        "    if a:\n        return (\n            a + b\n        )\n    return b\n"
    )
    (tmp_path / "rules.sql").write_text("-- Why.\n\nSELECT 1\n    FROM x;\n")
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "one.py").write_text("a = 1\n")
    assert lines_of(tmp_path) == (5, 2)
