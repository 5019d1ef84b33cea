"""The reviewed list of mutants that no test can kill, `equivalent.toml`."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.sql_faults import mutants_of

_ROOT = Path(__file__).resolve().parent.parent.parent
_LIST = Path(__file__).with_name("equivalent.toml")
# The number of a mutant among equal ones.
_NUMBER = re.compile(r" #(\d+)$")


def read_equivalent() -> dict[str, str]:
    """Return the list: keys of mutants, and why no test can kill them."""
    return {str(key): str(why) for key, why in tomllib.loads(_LIST.read_text()).items()}


def find_stale_keys(keys: Iterable[str], definitions: dict[str, str]) -> list[str]:
    """Return the keys of changes that cannot be made.

    All mutants of an SQL function are made again. Of a Python file that would take minutes, so its
    changed lines only have to occur, as often as the key's number requires.
    """
    keys = list(keys)
    functions = {key.partition(": ")[0] for key in keys} & definitions.keys()
    existing = {mutant.key for name in functions for mutant in mutants_of(name, definitions[name])}
    return [key for key in keys if key not in existing and not _is_in_python(key)]


def _is_in_python(key: str) -> bool:
    module, _, change = key.partition(": ")
    path = _ROOT / module
    if not path.is_file():
        return False
    number = _NUMBER.search(change)
    before = change.partition(" -> ")[0]
    lines = [" ".join(line.split()) for line in path.read_text().splitlines()]
    return _count(before, lines) >= (int(number[1]) if number else 1)


def _count(text: str, lines: list[str]) -> int:
    """Count where `text` is one or several whole lines."""
    found = 0
    for start in range(len(lines)):
        joined = lines[start]
        for line in lines[start + 1 :]:
            if len(joined) >= len(text):
                break
            joined = f"{joined} {line}".strip()
        found += joined == text and bool(lines[start])
    return found
