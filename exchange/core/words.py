"""Words of people and clients: reasons that are given, and names of values in any case."""

from __future__ import annotations

from collections.abc import Iterable

from exchange.core.errors import InvalidRequest

LONGEST = 500


def given(text: str, *, otherwise: str | None = None, longest: int = LONGEST) -> str:
    """`text` without the space around it, at most `longest` characters.

    Raises `InvalidRequest` for more, and with the message `otherwise`, when there is one, for none.
    """
    words = text.strip()
    if not words and otherwise is not None:
        raise InvalidRequest(otherwise)
    if len(words) > longest:
        raise InvalidRequest(f"The text must have at most {longest} characters, not {len(words)}")
    return words


def spelling(text: object, allowed: Iterable[str]) -> str | None:
    """Return the one of `allowed` that is `text` in any case; None when there is none."""
    wanted = text.casefold() if isinstance(text, str) else None
    return next((word for word in allowed if word.casefold() == wanted), None)
