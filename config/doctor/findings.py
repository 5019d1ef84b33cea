"""Findings of the checks, and running the checks.

A check is a function that yields findings. A check that raises becomes a finding itself, and no
finding contains a secret of the settings.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from config.redaction import clean_text

_LONGEST = 300


class Level(StrEnum):
    """How good or bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a check saw, and what to do about it in one line (nothing when ok)."""

    level: Level
    check: str
    seen: str
    remedy: str = ""


Check = Callable[[], Iterable[Diagnosis]]


def ok(check: str, seen: str) -> Diagnosis:
    """Return a finding that needs nothing."""
    return Diagnosis(Level.OK, check, seen)


def warning(check: str, seen: str, remedy: str) -> Diagnosis:
    """Return a finding that needs attention at some time."""
    return Diagnosis(Level.WARNING, check, seen, remedy)


def problem(check: str, seen: str, remedy: str) -> Diagnosis:
    """Return a finding that needs attention now."""
    return Diagnosis(Level.PROBLEM, check, seen, remedy)


def run_checks(checks: Sequence[Check]) -> Iterator[Diagnosis]:
    """Run the checks one after the other, and yield their findings without secrets."""
    for check in checks:
        try:
            for finding in check():
                yield replace(finding, seen=clean_text(finding.seen))
        except Exception as error:  # noqa: BLE001 - the other checks go on
            name = check.__name__.removeprefix("check_").replace("_", " ")
            seen = f"could not be checked: {describe_error(error)}"
            yield problem(name, seen, "Correct that, or report a fault")


def describe_error(error: BaseException) -> str:
    """Return type and text of an error on one short line, without secrets."""
    text = clean_text(f"{type(error).__name__}: {error}".rstrip(": "))
    return " ".join(text.split())[:_LONGEST]
