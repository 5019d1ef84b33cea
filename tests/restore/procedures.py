"""The shell commands of a document, by heading."""

import re
from pathlib import Path

from tests.environment.processes import CHECKOUT

_HEADING = re.compile(r"^#+ (.+)$")


def shell_blocks(document: str, heading: str) -> list[str]:
    """Return the `sh` blocks under `heading` of docs/operations/`document`, in order.

    Raises AssertionError when there is none, so that a renamed heading does not pass unnoticed.
    """
    path = Path(CHECKOUT, "docs", "operations", document)
    blocks: list[str] = []
    current: str | None = None
    inside = False
    for line in path.read_text().splitlines():
        if current is not None:
            if line == "```":
                blocks.append(current)
                current = None
            else:
                current += line + "\n"
        elif found := _HEADING.match(line):
            inside = found[1] == heading
        elif inside and line == "```sh":
            current = ""
    assert blocks, f"{path} has no commands under {heading!r}"
    return blocks
