"""Matching and suggestion of bank names. Pure functions.

Names match as a whole, ignoring case, accents, punctuation and repeated spaces; prefixes and
abbreviations never match.
"""

import difflib
import unicodedata
from collections.abc import Iterable

_MAX_SUGGESTIONS = 3


def match_keys(name: str) -> frozenset[str]:
    """Return the match keys of `name`; two names match when they share one.

    Punctuation counts as nothing ("F.C.M.B." is "FCMB") and as a space ("First-Bank" is "First
    Bank").
    """
    bare = "".join(
        character
        for character in unicodedata.normalize("NFKD", name).casefold()
        if not unicodedata.combining(character)
    )
    keys = {" ".join(_replace_punctuation(bare, instead).split()) for instead in ("", " ")}
    return frozenset(key for key in keys if key)


def suggest_names(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three of `names` that are similar to `name`, best first."""
    target = _plain(name)
    if not target:
        return []
    by_key: dict[str, str] = {}
    for candidate in names:
        by_key.setdefault(_plain(candidate), candidate)
    found = difflib.get_close_matches(target, list(by_key), n=_MAX_SUGGESTIONS, cutoff=0.6)
    words = set(target.split())
    # Short forms ("GTB", "Zenith") have too few letters to compare: match words or initials.
    for key in by_key:
        parts = key.split()
        initials = "".join(part[0] for part in parts)
        if key not in found and (words & set(parts) - _GENERIC_WORDS or target == initials):
            found.append(key)
    return [by_key[key] for key in found[:_MAX_SUGGESTIONS]]


_GENERIC_WORDS = frozenset({"bank", "of", "the", "plc", "limited", "ltd", "and"})


def _plain(name: str) -> str:
    return max(match_keys(name), key=lambda key: key.count(" "), default="")


def _replace_punctuation(text: str, instead: str) -> str:
    return "".join(
        instead if unicodedata.category(character)[0] in "PS" else character for character in text
    )
