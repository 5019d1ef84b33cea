"""Words that people give with what they propose or decide."""

from __future__ import annotations

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
