"""Draw the packages of the product into docs/architecture.md, from their imports.

`make structure` writes the drawing and prints the logical lines of every package. `--check` writes
nothing and exits with 1 when the drawing in the document is out of date.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.structure.counting import count_lines
from tests.structure.packages import APPS, Package, layers, read_packages

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "architecture.md"
_BEGIN, _END = "<!-- drawn by make structure -->\n", "<!-- end of the drawing -->\n"


def main() -> int:
    """Write the drawing, or check it."""
    parser = argparse.ArgumentParser(prog="python -m tests.structure", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    packages = read_packages(ROOT)
    before, _, rest = DOCUMENT.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    text = f"{before}{_BEGIN}{draw(packages)}{_END}{after}"
    if check:
        if text != DOCUMENT.read_text():
            print(
                "docs/architecture.md is out of date: run `make structure`",
                file=sys.stderr,
            )
            return 1
        return 0
    DOCUMENT.write_text(text)
    for app in APPS:
        python, sql = count_lines(ROOT / app)
        print(f"{app:32}{python:7} Python {sql:6} SQL")
        for package in (each for each in packages if each.app == app):
            python, sql = count_lines(ROOT / app / package.name)
            print(f"  {package.name:30}{python:7}        {sql:6}")
    return 0


def draw(packages: list[Package]) -> str:
    """Return the apps with their packages by layer, top to bottom, and a table of the packages."""
    plan = []
    for app in APPS:
        for number, layer in enumerate(layers(app, packages)):
            names = "   ".join(sorted(package.name for package in layer))
            plan.append(f"{app if number == 0 else '':12}{names}\n")
        plan.append("\n")
    table = "".join(
        f"| `{package.app}/{package.name}/` | {package.purpose} |"
        f" {', '.join(sorted(package.uses))} |\n"
        for app in APPS
        for layer in layers(app, packages)
        for package in sorted(layer, key=lambda each: each.name)
    )
    head = "| Package | Purpose | Imports, in its app |\n|---|---|---|\n"
    return f"```\n{''.join(plan).rstrip()}\n```\n\n{head}{table}"


if __name__ == "__main__":
    sys.exit(main())
