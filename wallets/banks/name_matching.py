"""Matching of names of persons and firms, for the review of withdrawals. Pure functions.

Case, accents, punctuation and titles are ignored. `Ng'ang'a` equals `Nganga`, and "Abdul Rahman"
equals "Abdulrahman". Degrees:

    same        the same words in the same order
    reordered   the same words in another order (banks write the family name first)
    initials    as above, with some words given by their initial only
    partly      some words match
    different   no whole word matches

Words that differ by a letter ("Mohamed", "Mohammed") do not match; they are reported as similar.
"""

import difflib
import unicodedata
from dataclasses import dataclass
from enum import Enum

# Titles that banks of West and East Africa put before names.
_TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "chief", "alhaji", "alhaja", "alh",
     "hajia", "haja", "mallam", "malam", "engr", "barr", "barrister", "rev", "revd", "pastor",
     "sir", "hon", "mwalimu", "mzee"}
)  # fmt: skip
_SHORT_FORMS = {"limited": "ltd", "company": "co", "incorporated": "inc", "corporation": "corp"}
_IGNORED_WORDS = frozenset({"and"})
# Letters of Hausa, Ewe, Krio and others without a Unicode decomposition.
_PLAIN_LETTERS = str.maketrans(
    {"ɓ": "b", "ɗ": "d", "ɖ": "d", "ƙ": "k", "ƴ": "y", "ŋ": "n", "ɛ": "e", "ɔ": "o", "ə": "e",
     "ƒ": "f", "ɣ": "g", "ʋ": "v", "ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"}  # noqa: RUF001
)  # fmt: skip
# Characters inside a word that do not split it: apostrophes and similar marks.
_APOSTROPHES = frozenset("'`\u00b4\u2018\u2019\u201b\u02bb\u02bc\u02bd\u02be\u02bf\ua78c\u2032")
# Numbers of adjacent words that may be written as one, longest first.
_JOIN_LENGTHS = (3, 2)
_SIMILARITY_CUTOFF = 0.8


class MatchDegree(Enum):
    """Degree of a match, from best to worst."""

    SAME = "same"
    REORDERED = "same words in another order"
    INITIALS = "same, but for initials"
    PARTLY = "partly"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class NameMatch:
    """Result of a comparison: `shared` of `words` (of the longer name) match.

    `only_first` and `only_second` are the rest on either side, `similar` the pairs among them that
    differ slightly.
    """

    degree: MatchDegree
    shared: int
    words: int
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    similar: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """Return the degree as text: `partly: 2 of 3 words`."""
        if self.degree is MatchDegree.PARTLY:
            return f"partly: {self.shared} of {self.words} words"
        return str(self.degree.value)

    @property
    def agrees(self) -> bool:
        """Return whether the names are compatible.

        A partial match is compatible if two words match and the first name has no other word.
        """
        if self.degree is MatchDegree.PARTLY:
            return self.shared > 1 and not self.only_first
        return self.degree is not MatchDegree.DIFFERENT


def compare_names(first: str, second: str) -> NameMatch:
    """Compare the provided name `first` with the bank's name `second`."""
    mine, theirs = _words(first), _words(second)
    mine, theirs = _join_words(mine, theirs), _join_words(theirs, mine)
    longer = max(len(mine), len(theirs))
    if mine and mine == theirs:
        return NameMatch(MatchDegree.SAME, longer, longer)

    left, right = _unshared(mine, theirs), _unshared(theirs, mine)
    whole = len(mine) - len(left)
    left, right, initials = _match_initials(left, right)
    rest = tuple(left), tuple(right)
    if not whole:
        return NameMatch(MatchDegree.DIFFERENT, 0, longer, *rest, _similar_pairs(left, right))
    shared = whole + initials
    if left or right:
        return NameMatch(MatchDegree.PARTLY, shared, longer, *rest, _similar_pairs(left, right))
    degree = MatchDegree.INITIALS if initials else MatchDegree.REORDERED
    return NameMatch(degree, shared, longer)


def names_agree(first: str, second: str) -> bool:
    """Return whether the names are compatible. Either may have extra words: a middle name."""
    return compare_names(first, second).agrees or compare_names(second, first).agrees


def _words(name: str) -> list[str]:
    """Return the significant words, without case, accents and punctuation."""
    bare = []
    for character in unicodedata.normalize("NFKD", name.casefold()):
        if unicodedata.combining(character) or character in _APOSTROPHES:
            continue
        bare.append(character if character.isalnum() else " ")
    words = "".join(bare).translate(_PLAIN_LETTERS).split()
    words = [_SHORT_FORMS.get(word, word) for word in words if word not in _IGNORED_WORDS]
    named = [word for word in words if word not in _TITLES]
    # A name may consist of a title only.
    return named or words


def _join_words(words: list[str], others: list[str]) -> list[str]:
    """Return `words`, with adjacent words joined that are one word in `others`."""
    known = set(others) - set(words)
    found: list[str] = []
    place = 0
    while place < len(words):
        lengths = (
            length for length in _JOIN_LENGTHS if "".join(words[place : place + length]) in known
        )
        length = next(lengths, 1)
        found.append("".join(words[place : place + length]))
        place += length
    return found


def _unshared(words: list[str], others: list[str]) -> list[str]:
    """Return `words` without those in `others`, counted with repetition."""
    rest = list(others)
    left = []
    for word in words:
        if word in rest:
            rest.remove(word)
        else:
            left.append(word)
    return left


def _match_initials(left: list[str], right: list[str]) -> tuple[list[str], list[str], int]:
    """Return both lists without words that match an initial of the other, and their number."""
    found = 0
    left, right = list(left), list(right)
    for ours, theirs in ((left, right), (right, left)):
        for letter in [word for word in ours if len(word) == 1]:
            match = next((word for word in theirs if word.startswith(letter)), None)
            if match is not None:
                ours.remove(letter)
                theirs.remove(match)
                found += 1
    return left, right, found


def _similar_pairs(left: list[str], right: list[str]) -> tuple[tuple[str, str], ...]:
    pairs = []
    rest = list(right)
    for word in left:
        for close in difflib.get_close_matches(word, rest, n=1, cutoff=_SIMILARITY_CUTOFF):
            rest.remove(close)
            pairs.append((word, close))
    return tuple(pairs)
