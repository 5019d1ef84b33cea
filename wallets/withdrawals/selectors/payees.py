"""Search of bank records by words of the payee's names and by account number.

Bank records are snapshots. Those from before words were folded (`exchange.core.words`) are found by
their words as they were typed.
"""

from __future__ import annotations

from django.contrib.postgres.search import SearchQueryCombinable

from exchange.core.words import NameWordsQuery, name_query


def payee_words(text: str) -> SearchQueryCombinable:
    """Return the query by prefixes of words, in any order."""
    query = NameWordsQuery(text)
    return query if _is_folded(text) else query | NameWordsQuery(text, folded=False)


def payee_query(text: str) -> SearchQueryCombinable | None:
    """Return the query for words of which the last may be incomplete; None without a word."""
    query, typed = name_query(text), name_query(text, folded=False)
    if query is None or typed is None or _is_folded(text):
        return query
    return query | typed


def _is_folded(text: str) -> bool:
    return text.isascii() and not set(text) & {"'", "`"}
