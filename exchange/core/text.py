"""Words of people and clients: reasons that are given, and names of values in any case."""

from __future__ import annotations

from collections.abc import Iterable

from exchange.core.errors import InvalidRequest

MAX_LENGTH = 500


def clean_text(text: str, *, missing: str | None = None, max_length: int = MAX_LENGTH) -> str:
    """`text` without the space around it, at most `max_length` characters.

    Raises `InvalidRequest` for more, and with the message `missing`, when there is one, for none.
    """
    words = text.strip()
    if not words and missing is not None:
        raise InvalidRequest(missing)
    if len(words) > max_length:
        raise InvalidRequest(
            f"The text must have at most {max_length} characters, not {len(words)}"
        )
    return words


def match_choice(text: object, allowed: Iterable[str]) -> str | None:
    """Return the one of `allowed` that is `text` in any case; None when there is none."""
    wanted = text.casefold() if isinstance(text, str) else None
    return next((word for word in allowed if word.casefold() == wanted), None)
