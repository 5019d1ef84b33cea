"""What a fault is, whether of Python or of SQL, and what became of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

KILLED, SURVIVED, TIMED_OUT, NOT_COVERED, INVALID, UNDECIDED = (
    "killed",
    "survived",
    "timed out",
    "not covered",
    "invalid",
    "undecided",
)
# What more tests or more time cannot change.
FINAL = (KILLED, INVALID)


@dataclass(frozen=True)
class Mutant:
    """One changed place of one module (a file of Python, or a function of SQL)."""

    module: str
    line: int
    operator: str
    before: str
    after: str
    # The first and last line of the statement, to find the tests that run it.
    first: int
    last: int
    # The whole module with the fault in it.
    text: str = ""
    # Tells the same change of the same words of one module apart.
    number: int = 1

    @property
    def key(self) -> str:
        """Its name in `equivalent.toml`; it outlives a move of the line."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.module}: {_shortened(self.before, self.after)}{again}"

    def document(self) -> dict[str, Any]:
        """As JSON, without the text."""
        shown = asdict(self)
        del shown["text"]
        return {"key": self.key, **shown}


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a mutant."""

    result: str
    seconds: float = 0.0
    tests: int = 0
    # The recorded tests that were left out because their time went over the limit.
    left_out: int = 0
    test: str = ""
    why: str = ""


def numbered(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Give mutants with the same key numbers, in their order."""
    found: Counter[str] = Counter()
    result = []
    for mutant in mutants:
        found[mutant.key] += 1
        result.append(replace(mutant, number=found[mutant.key]))
    return result


def digest(text: str) -> str:
    """A short name of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _shortened(before: str, after: str) -> str:
    return f"{' '.join(before.split())} -> {' '.join(after.split()) or '(nothing)'}"
