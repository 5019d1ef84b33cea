"""The project's own files, and the retired words in them."""

from collections.abc import Iterator
from pathlib import Path

from tests.wording.retired import Finding, find_in_file, read_retired_words

ROOT = Path(__file__).resolve().parent.parent.parent
_FOLDERS = ("config", "credit", "docs", "exchange", "orders", "templates", "tests", "wallets")
_SUFFIXES = {".py", ".sql", ".html", ".md"}
# Files whose words are not ours to change.
_LEFT_OUT = (
    "docs/glossary.md",  # holds the list
    "tests/contract/",  # asserts the messages of the interface
    "tests/wording/",
)


def findings() -> list[Finding]:
    """Return every retired word in the project, in the order of files and lines."""
    words = read_retired_words((ROOT / "docs" / "glossary.md").read_text())
    return [
        finding
        for path in _paths()
        for finding in find_in_file(path, (ROOT / path).read_text(), words)
    ]


def _paths() -> Iterator[str]:
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            ours = "/migrations/0" not in name and not name.startswith(_LEFT_OUT)
            if ours and path.suffix in _SUFFIXES:
                yield name
    yield from ("README.md", "CONTRIBUTING.md")
