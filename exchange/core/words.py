"""Search by words of names, and by their beginnings."""

from __future__ import annotations

from django.contrib.postgres.search import SearchQuery, SearchQueryCombinable
from django.db.models import CharField, Func, Value


class NameWordsQuery(SearchQuery):
    """A search by prefixes of words of a name, built by the SQL function `name_words`.

    A text without a letter or a digit matches nothing.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.function = "name_words"


class _Words(Func):
    """The words of a text, split as `name_words` splits them."""

    template = "regexp_replace(%(expressions)s, '[^[:alnum:]]+', ' ', 'g')"
    output_field = CharField()


def name_query(text: str) -> SearchQueryCombinable | None:
    """Return the query for the words of `text`, of which the last may be incomplete.

    None for a text without a letter or a digit. A beginning is found by reading all words that have
    it, so only one is: the other words may be as frequent as they like.
    """
    *whole, last = [word for word in text.split() if any(map(str.isalnum, word))] or [""]
    if not last:
        return None
    query: SearchQueryCombinable = NameWordsQuery(last)
    if whole:
        words = _Words(Value(" ".join(whole)))
        query = SearchQuery(words, config="simple", search_type="plain") & query
    return query
