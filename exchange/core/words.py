"""Search by words of names, and by their beginnings.

Accents, apostrophes and Unicode forms do not count: the SQL function `fold_text` (migrations)
removes them, from what is searched and from what was typed. What is searched has the words around
apostrophes too (`apostrophe_parts`): "Brien" finds "O'Brien".
"""

from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchQueryCombinable, SearchVectorField
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Func, Lookup, TextField, Value
from django.db.models.sql.compiler import SQLCompiler


class _Folded(Func):
    """A text without accents and apostrophes."""

    function = "fold_text"
    output_field = TextField()


class FoldedWords(Func):
    """The search vector of one or several columns; an index is of the same expression."""

    template = (
        "to_tsvector('pg_catalog.simple'::regconfig,"
        " regexp_replace(fold_text(%(expressions)s) || apostrophe_parts(%(expressions)s),"
        " '[^[:alnum:]]+', ' ', 'g'))"
    )
    arg_joiner = " || ' ' || "
    output_field = SearchVectorField()


class BeforeAt(Func):
    """An email address before the "@"."""

    template = "split_part(%(expressions)s, '@', 1)"
    output_field = TextField()


@CharField.register_lookup
@TextField.register_lookup
class FoldedContains(Lookup):
    """`name__folded`: as `icontains`, without accents and apostrophes.

    A text of apostrophes alone is in no name.
    """

    lookup_name = "folded"

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        """Return the condition."""
        column, values = self.process_lhs(compiler, connection)
        part, typed = self.process_rhs(compiler, connection)
        sql = f"strpos(upper(fold_text({column})), nullif(upper(fold_text({part})), '')) > 0"
        return sql, (*values, *typed)


class NameWordsQuery(SearchQuery):
    """A search by prefixes of words of a name, built by the SQL function `name_words`.

    A text without a letter or a digit matches nothing.
    """

    def __init__(self, text: str) -> None:
        super().__init__(_Folded(Value(text)))
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
        words = _Words(_Folded(Value(" ".join(whole))))
        query = SearchQuery(words, config="simple", search_type="plain") & query
    return query
