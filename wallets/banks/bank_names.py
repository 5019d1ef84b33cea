"""When two spellings are the same bank name, and which names are close to one.

Whole names only, ignoring case, accents, punctuation and repeated spaces; never a prefix, an
abbreviation or a guess (decisions §8). Pure functions.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

_MAX_SUGGESTIONS = 3


def match_keys(name: str) -> frozenset[str]:
    """The keys of `name`; two names are the same when they share one.

    Punctuation is ignored both as nothing ("F.C.M.B." is "FCMB") and as a space ("First-Bank" is
    "First Bank").
    """
    bare = "".join(
        character
        for character in unicodedata.normalize("NFKD", name).casefold()
        if not unicodedata.combining(character)
    )
    keys = {" ".join(_replace_punctuation(bare, instead).split()) for instead in ("", " ")}
    return frozenset(key for key in keys if key)


def suggest_names(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of `names` that look like `name`, best first."""
    wanted = _plain(name)
    if not wanted:
        return []
    by_key: dict[str, str] = {}
    for candidate in names:
        by_key.setdefault(_plain(candidate), candidate)
    found = difflib.get_close_matches(wanted, list(by_key), n=_MAX_SUGGESTIONS, cutoff=0.6)
    words = set(wanted.split())
    # A short form ("GTB", "Zenith") is close to nothing by letters; its words or initials tell.
    for key in by_key:
        parts = key.split()
        initials = "".join(part[0] for part in parts)
        if key not in found and (words & set(parts) - _GENERIC_WORDS or wanted == initials):
            found.append(key)
    return [by_key[key] for key in found[:_MAX_SUGGESTIONS]]


_GENERIC_WORDS = frozenset({"bank", "of", "the", "plc", "limited", "ltd", "and"})


def _plain(name: str) -> str:
    return max(match_keys(name), key=lambda key: key.count(" "), default="")


def _replace_punctuation(text: str, instead: str) -> str:
    return "".join(
        instead if unicodedata.category(character)[0] in "PS" else character for character in text
    )
