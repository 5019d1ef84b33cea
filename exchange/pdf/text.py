"""Text of people and firms, prepared for printing."""

import unicodedata
from collections.abc import Container

# Join and separate letters of Arabic script; other invisible characters could reorder a line.
_JOINERS = frozenset("\u200c\u200d")
_MISSING = "\N{REPLACEMENT CHARACTER}"
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable(text: str, glyphs: Container[int]) -> str:
    """Return `text` on one line, with a replacement character for what no font has.

    Removes characters that change the direction of a line: a name must not reorder the figures next
    to it.
    """
    kept = []
    for character in unicodedata.normalize("NFC", " ".join(text.split())):
        if character in _JOINERS:
            kept.append(character)
        elif unicodedata.category(character) not in _INVISIBLE:
            kept.append(character if ord(character) in glyphs else _MISSING)
    return "".join(kept)
