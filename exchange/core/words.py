"""Search by the beginnings of words of names."""

from __future__ import annotations

from django.contrib.postgres.search import SearchQuery


class NameWordsQuery(SearchQuery):
    """A search by prefixes of words of a name, built by the SQL function `name_words`.

    A text without a letter or a digit matches nothing.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.function = "name_words"
