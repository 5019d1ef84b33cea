"""Text input: cleaning of reasons and notes, control characters, case-insensitive choices."""

import unicodedata
from collections.abc import Iterable

from exchange.core.errors import InvalidRequest

MAX_LENGTH = 500
# What a reason has at least, so that it says something to who reads it later.
REASON_LETTERS, REASON_WORDS = 15, 2
REASON_RULE = (
    f"A reason has at least {REASON_LETTERS} letters and two words: say what you checked, and why"
)


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


def is_reason(text: str) -> bool:
    """Return whether `text` has at least 15 letters and two words."""
    letters = sum(character.isalpha() for character in text)
    return letters >= REASON_LETTERS and len(text.split()) >= REASON_WORDS


def clean_reason(text: str, *, missing: str, max_length: int = MAX_LENGTH) -> str:
    """Return the reason in `text`. Raises as `clean_text`, and where it is too short to be one."""
    reason = clean_text(text, missing=missing, max_length=max_length)
    if not is_reason(reason):
        raise InvalidRequest(REASON_RULE)
    return reason


def has_visible_characters(text: str) -> bool:
    """Return whether `text` has more than white space, marks and characters without a shape."""
    return any(unicodedata.category(c)[0] not in "CMZ" and not is_invisible(c) for c in text)


def has_control_characters(text: str) -> bool:
    """Return whether `text` contains control characters, line breaks and tabs included."""
    return not text.isprintable() and any(unicodedata.category(c) == "Cc" for c in text)


# Format characters (zero width, direction marks), line and paragraph separators.
_INVISIBLE = frozenset({"Cf", "Zl", "Zp"})
# Letters and marks without a shape: fillers of Hangul and Khmer, the blank of Braille.
_SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS = frozenset("\u200c\u200d")
# Scripts whose spelling needs joiners, by the first word of their letters' names.
_JOINED_SCRIPTS = frozenset(
    {"ARABIC", "SYRIAC", "NKO", "ADLAM", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GUJARATI",
     "GURMUKHI", "KANNADA", "MALAYALAM", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "KHMER", "MYANMAR"}
)  # fmt: skip


# Scripts with letters in the shape of Latin ones.
_LOOKALIKE_SCRIPTS = frozenset(
    {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH", "MATHEMATICAL"}
)


def is_invisible(character: str) -> bool:
    """Return whether `character` has no shape, or changes the direction of others."""
    return unicodedata.category(character) in _INVISIBLE or character in _SHAPELESS


def has_invisible_characters(text: str) -> bool:
    """Return whether `text` has invisible characters, but for joiners that its script needs.

    A joiner (U+200C, U+200D) is needed between two letters or marks of Arabic, N'Ko, Adlam, Indic
    and some other scripts.
    """
    return not text.isascii() and any(
        is_invisible(character)
        and not (
            character in _JOINERS
            and _is_joined(text[place - 1 : place])
            and _is_joined(text[place + 1 : place + 2])
        )
        for place, character in enumerate(text)
    )


def _is_joined(neighbour: str) -> bool:
    if not neighbour or unicodedata.category(neighbour)[0] not in "LM":
        return False
    return unicodedata.name(neighbour, "").partition(" ")[0] in _JOINED_SCRIPTS


def line_problem(text: str) -> str:
    """Return what is wrong with `text` as one visible line, or ""."""
    if has_control_characters(text):
        return "must not contain control characters"
    if has_invisible_characters(text):
        return "must not contain invisible or direction-changing characters"
    return ""


def check_line(field: str, text: str) -> None:
    """Raise `InvalidRequest` unless `text`, the value of `field`, is one visible line."""
    if problem := line_problem(text):
        raise InvalidRequest.for_field(field, f"{field} {problem}")


def find_lookalikes(text: str) -> str:
    """Return the letters of `text` that may pass for Latin ones next to which they stand, or ""."""
    if text.isascii():
        return ""
    scripts = {
        letter: unicodedata.name(letter, "").partition(" ")[0]
        for letter in text
        if letter.isalpha()
    }
    if "LATIN" not in scripts.values():
        return ""
    return "".join(letter for letter, script in scripts.items() if script in _LOOKALIKE_SCRIPTS)


# What a spreadsheet begins a formula with.
_FORMULA_STARTS = frozenset("=+-@＝＋－＠")  # noqa: RUF001 - full-width forms count as well
_CONTROL_CHARACTERS = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233, 65534, 65535), " ")
_CONTROL_CHARACTERS |= dict.fromkeys(range(55296, 57344), "�")


def neutralize(text: str) -> str:
    """Return `text` on one line, safe from being evaluated as a formula."""
    line = text.translate(_CONTROL_CHARACTERS)
    first = next((c for c in line if not (c.isspace() or is_invisible(c))), "")
    return f"'{line}" if first in _FORMULA_STARTS else line


def match_choice(text: object, allowed: Iterable[str]) -> str | None:
    """Return the one of `allowed` that equals `text` regardless of case, or None."""
    folded = text.casefold() if isinstance(text, str) else None
    return next((choice for choice in allowed if choice.casefold() == folded), None)
