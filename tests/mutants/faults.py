"""Mutants of Python and of SQL, and their outcomes."""

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
# Outcomes that more tests or more time cannot change.
FINAL = (KILLED, INVALID)


@dataclass(frozen=True)
class Mutant:
    """One change in one module (a Python file or an SQL function)."""

    module: str
    line: int
    operator: str
    before: str
    after: str
    # The first and last line of the statement, to find its tests.
    first: int
    last: int
    # The whole module with the change.
    text: str = ""
    # Distinguishes equal changes in one module.
    number: int = 1

    @property
    def key(self) -> str:
        """The name in `equivalent.toml`, which does not depend on line numbers."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.module}: {_shortened(self.before, self.after)}{again}"

    def document(self) -> dict[str, Any]:
        """Return the mutant as JSON, without the text."""
        shown = asdict(self)
        del shown["text"]
        return {"key": self.key, **shown}


@dataclass(frozen=True)
class Outcome:
    """The result of the tests of a mutant."""

    result: str
    seconds: float = 0.0
    tests: int = 0
    # How many recorded tests were left out because of the time limit.
    left_out: int = 0
    test: str = ""
    why: str = ""


def numbered(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Number mutants with equal keys, in their order."""
    found: Counter[str] = Counter()
    result = []
    for mutant in mutants:
        found[mutant.key] += 1
        result.append(replace(mutant, number=found[mutant.key]))
    return result


def digest(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _shortened(before: str, after: str) -> str:
    return f"{' '.join(before.split())} -> {' '.join(after.split()) or '(nothing)'}"
