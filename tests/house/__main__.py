"""Draw the rooms of the product into docs/architecture.md, from what the modules import.

`make house` writes the drawing and prints the logical lines of every room. `--check` writes nothing
and ends with 1 when the drawing in the document is another one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.house.counting import lines_of
from tests.house.rooms import APPS, Room, floors, rooms_of

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "architecture.md"
_BEGIN, _END = "<!-- drawn by make house -->\n", "<!-- end of the drawing -->\n"


def main() -> int:
    """Draw, or check the drawing."""
    parser = argparse.ArgumentParser(prog="python -m tests.house", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when it differs")
    check = parser.parse_args().check
    rooms = rooms_of(ROOT)
    before, _, rest = DOCUMENT.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    text = f"{before}{_BEGIN}{drawing(rooms)}{_END}{after}"
    if check:
        if text != DOCUMENT.read_text():
            print("docs/architecture.md shows another house: run `make house`", file=sys.stderr)
            return 1
        return 0
    DOCUMENT.write_text(text)
    for app in APPS:
        python, sql = lines_of(ROOT / app)
        print(f"{app:32}{python:7} Python {sql:6} SQL")
        for room in (each for each in rooms if each.app == app):
            python, sql = lines_of(ROOT / app / room.name)
            print(f"  {room.name:30}{python:7}        {sql:6}")
    return 0


def drawing(rooms: list[Room]) -> str:
    """The apps from top to bottom, each with its rooms by floors, and a table of the rooms."""
    plan = []
    for app in APPS:
        for number, floor in enumerate(floors(app, rooms)):
            names = "   ".join(sorted(room.name for room in floor))
            plan.append(f"{app if number == 0 else '':12}{names}\n")
        plan.append("\n")
    table = "".join(
        f"| `{room.app}/{room.name}/` | {room.purpose} | {', '.join(sorted(room.uses))} |\n"
        for app in APPS
        for floor in floors(app, rooms)
        for room in sorted(floor, key=lambda each: each.name)
    )
    head = "| Room | What it is | Stands on, in its app |\n|---|---|---|\n"
    return f"```\n{''.join(plan).rstrip()}\n```\n\n{head}{table}"


if __name__ == "__main__":
    sys.exit(main())
