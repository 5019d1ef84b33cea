"""References in the documents exist: files, headings, commands, make targets."""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from django.conf import settings
from django.core.management import get_commands

ROOT = Path(settings.BASE_DIR)
DOCUMENTS = [
    path
    for path in sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})
    if "node_modules" not in path.parts
]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_TARGET = re.compile(r"(?:^|`)make ([a-z-]+)", re.MULTILINE)
_COMMAND = re.compile(r"manage\.py ([a-z_]+)")
# Sources and tests named in prose, by path.
_PATH = re.compile(r"`((?:config|credit|docs|exchange|orders|templates|tests|wallets)/[\w./-]+)`")


def anchors(document: Path) -> set[str]:
    """Return the anchors that code hosts derive from headings."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", document.read_text()), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


def broken_links(document: Path) -> Iterator[str]:
    for link in _LINK.findall(_FENCED.sub("", document.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        there = (document.parent / name).resolve() if name else document
        if not there.exists() or (anchor and anchor not in anchors(there)):
            yield link


def in_each(find: Callable[[Path], Collection[str]]) -> dict[str, Collection[str]]:
    """Return the problems of each document that has any, by path."""
    found = {str(path.relative_to(ROOT)): find(path) for path in DOCUMENTS}
    return {name: wrong for name, wrong in found.items() if wrong}


def test_links_have_targets():
    assert len(DOCUMENTS) > 20
    assert in_each(lambda document: list(broken_links(document))) == {}


def test_targets_of_make_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert in_each(lambda document: set(_TARGET.findall(document.read_text())) - targets) == {}


def test_commands_exist():
    commands = set(get_commands())
    assert in_each(lambda document: set(_COMMAND.findall(document.read_text())) - commands) == {}


def test_named_files_exist():
    def missing(document: Path) -> list[str]:
        return [name for name in _PATH.findall(document.read_text()) if not (ROOT / name).exists()]

    assert in_each(missing) == {}


def test_every_document_can_be_reached_from_the_front_page():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        document = ahead.pop()
        reached.add(document)
        for link in _LINK.findall(_FENCED.sub("", document.read_text())):
            there = (document.parent / link.partition("#")[0]).resolve()
            found = sorted(there.glob("*.md")) if there.is_dir() else [there]
            ahead += [one for one in found if one.suffix == ".md" and one not in reached]
    assert [path for path in DOCUMENTS if path not in reached] == []


def test_every_target_of_make_is_described():
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony is not None
    described = set(_TARGET.findall((ROOT / "CONTRIBUTING.md").read_text()))
    # A prerequisite of other targets, not a step.
    assert set(phony[1].split()) - described == {"tools"}


def test_questions_of_a_new_engineer_lead_to_a_folder_and_file():
    section = (ROOT / "docs" / "architecture.md").read_text().partition("## Where is")[2]
    rows = re.findall(r"^\| (.+\?) \| `(.+/)` \| `(.+)` \|$", section, re.MULTILINE)
    assert len(rows) == 20
    for question, folder, file in rows:
        assert (ROOT / folder).is_dir(), question
        assert (ROOT / file).is_file(), question
        assert file.startswith(folder), question
