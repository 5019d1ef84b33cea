"""Text input: cleaning of reasons and notes, control characters, case-insensitive choices."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from exchange.core.errors import InvalidRequest

MAX_LENGTH = 500


def clean_text(text: str, *, missing: str | None = None, max_length: int = MAX_LENGTH) -> str:
    """Return `text` without surrounding white space, each line break as one character.

    Raises `InvalidRequest` above `max_length`, and for empty text with the message `missing` where
    one is given.
    """
    cleaned = unify_line_breaks(text).strip()
    if not cleaned and missing is not None:
        raise InvalidRequest(missing)
    if len(cleaned) > max_length:
        raise InvalidRequest(
            f"The text must have at most {max_length} characters, not {len(cleaned)}"
        )
    return cleaned


def unify_line_breaks(text: str) -> str:
    """Return `text` with the line breaks of a submitted form, two characters each, as one."""
    return text.replace("\r\n", "\n")


def has_control_characters(text: str) -> bool:
    """Return whether `text` contains control characters, line breaks and tabs included."""
    return not text.isprintable() and any(unicodedata.category(c) == "Cc" for c in text)


def match_choice(text: object, allowed: Iterable[str]) -> str | None:
    """Return the one of `allowed` that equals `text` regardless of case, or None."""
    folded = text.casefold() if isinstance(text, str) else None
    return next((choice for choice in allowed if choice.casefold() == folded), None)
