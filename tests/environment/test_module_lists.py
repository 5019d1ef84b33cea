"""Every test module that a list or a text of the project names exists."""

import re
from pathlib import Path

import pytest

from tests.environment.module_groups import PAGES, STANDALONE
from tests.environment.run_order import COMPUTING, WAITING
from tests.mutants.runner import IGNORED

_ROOT = Path(__file__).resolve().parent.parent.parent
_TESTS = _ROOT / "tests"
_FOLDERS = ("config", "credit", "docs", "exchange", "orders", "tests", "wallets")
_NAMED = re.compile(r"\btests/[\w/-]+\.(?:py|toml|sql)\b")


@pytest.mark.parametrize(
    "paths",
    [STANDALONE, PAGES, WAITING, COMPUTING, IGNORED],
    ids=["standalone", "pages", "waiting", "computing", "ignored by mutants"],
)
def test_listed_modules_exist(paths):
    assert [path for path in paths if not list(_TESTS.glob(path))] == []


def test_modules_named_in_texts_exist():
    texts = [
        path
        for folder in _FOLDERS
        for path in (_ROOT / folder).rglob("*")
        if path.suffix in {".py", ".sql", ".md", ".toml"} and path.name != "equivalent.toml"
    ]
    texts += [_ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")]
    missing = [
        f"{text.relative_to(_ROOT)}: {name}"
        for text in texts
        for name in _NAMED.findall(text.read_text())
        if not (_ROOT / name).exists()
    ]
    assert missing == []
