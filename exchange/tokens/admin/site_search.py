"""Tokens in the search of the back office."""

from collections.abc import Sequence

from django.db.models import Q

from exchange.admin.site_search import SearchKind, SearchTerm
from exchange.core.words import NameWordsQuery
from exchange.tokens.models import Token


def _conditions(term: SearchTerm) -> Sequence[Q]:
    if not term.names:
        return ()
    return (Q(words=NameWordsQuery(term.names)), Q(symbol__istartswith=term.names))


TOKENS = SearchKind(
    model=Token,
    describe=lambda token: (token.symbol, token.issuer),
    conditions=_conditions,
    related=("issuer",),
)
