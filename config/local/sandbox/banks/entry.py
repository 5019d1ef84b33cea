"""Types of the bank data, and building of banks with ids and branches."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch; `code` is unique within its bank."""

    id: int
    code: str
    name: str


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank; `id` is unique among all countries, `code` within one."""

    id: int
    code: str
    name: str
    swift_code: str
    branches: tuple[Branch, ...]


def banks(
    rows: Sequence[tuple[str, str]],
    *,
    first_id: int,
    country: str,
    towns: Sequence[str] = (),
) -> tuple[Bank, ...]:
    """Build banks from `(code, name)` rows, with a branch per town where the country needs it."""
    return tuple(
        Bank(
            id=first_id + index,
            code=code,
            name=name,
            swift_code=code if len(code) in {8, 11} and code.isalpha() else "",
            branches=tuple(
                Branch(
                    id=(first_id + index) * 100 + number,
                    code=f"{country}{index + 1:02d}{number:04d}",
                    name=f"{name}, {town}",
                )
                for number, town in enumerate(towns, start=1)
            ),
        )
        for index, (code, name) in enumerate(rows)
    )
