"""`/v1/api/tokens` and `/v1/api/token`: the catalogue.

Both lists are ordinary filter sets over tokens. What a query string asks does not depend on who
asks, so what the filters make of it is remembered, and `selectors.catalogue` answers it for the
caller's organisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON
from exchange.api.pagination import Window, page_data, read_window
from exchange.api.schema import Operation, PageOf, Record
from exchange.api.views import ApiView, path_id
from exchange.errors import TokenNotFound
from exchange.filtersets import ActiveTokenFilters, TokenSearchFilters
from exchange.lru import Lru
from exchange.models import Token
from exchange.payloads import TOKEN
from exchange.selectors.catalogue import Question, catalogue_page, question_of
from exchange.selectors.tokens import token_document


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a query string asks for."""

    question: Question
    window: Window


# Longer query strings are read each time.
_LONGEST = 300
_asked: Lru[tuple[type[Any], str], _Asked] = Lru(2_000)


class TokenList(ApiView):
    """What both lists of tokens share."""

    required_scopes: ClassVar = {"GET": "tokens:read"}
    plural = "tokens"
    sort_fields: ClassVar = {"createdAt": "created_at", "updatedAt": "updated_at", "name": "name"}
    default_sort = "-createdAt"
    answers: ClassVar = {"GET": PageOf(TOKEN, "tokens")}

    def get_queryset(self) -> QuerySet[Token]:
        """Tokens of every organisation."""
        return Token.objects.all()

    def check_query(self) -> None:
        """Left to `_read`, which remembers that a query string is well formed."""

    def page(self, message: str) -> Answer:
        """The page that the request asks for, of what the caller sees."""
        asked = self._read()
        window = asked.window
        found = catalogue_page(
            asked.question,
            self.caller.organisation_id,
            offset=window.offset,
            limit=window.limit,
        )
        texts = RawJSON(f"[{found.text}]")
        return Answer(page_data(window, found.total, found.count, self.plural, texts), message)

    def _read(self) -> _Asked:
        text = self.request.META.get("QUERY_STRING", "")
        key = (type(self), text)
        asked = _asked.get(key)
        if asked is None:
            super().check_query()
            tokens = self.filter_queryset(self.get_queryset())
            asked = _Asked(question_of(tokens), read_window(self.request))
            if len(text) <= _LONGEST:
                _asked.put(key, asked)
        return asked


class ActiveTokensView(TokenList):
    """Tokens that can be invested in."""

    operations: ClassVar = {"GET": Operation("tokens", "list", "Tokens retrieved")}
    filterset_class = ActiveTokenFilters

    def get_queryset(self) -> QuerySet[Token]:
        """Tokens that were not cancelled."""
        return super().get_queryset().filter(cancelled=False)

    def get(self, _request: Request) -> Answer:
        """Fetch all active tokens. Those neither closed nor exited, unless asked for; cancelled
        ones never show. A token with private deal access shows to its issuer and to organisations
        granted access.
        """
        return self.page("Tokens retrieved")


class TokenSearchView(TokenList):
    """Tokens in any state."""

    operations: ClassVar = {"GET": Operation("tokens", "search", "Tokens retrieved")}
    filterset_class = TokenSearchFilters

    def get(self, _request: Request) -> Answer:
        """Search tokens. By name, symbol and kind, in any state: closed, exited and cancelled ones
        show too. A token with private deal access shows to its issuer and to organisations granted
        access.
        """
        return self.page("Tokens retrieved")


class TokenDetailView(ApiView):
    """One token."""

    operations: ClassVar = {"GET": Operation("tokens", "retrieve", "Token retrieved")}
    required_scopes: ClassVar = {"GET": "tokens:read"}
    failures: ClassVar = {"404": {"token_not_found": "Token not found"}}
    answers: ClassVar = {"GET": Record(TOKEN)}

    def get(self, _request: Request, token_id: str) -> Answer:
        """Fetch a token. In any state."""
        found = path_id(token_id, TokenNotFound())
        text = token_document(self.caller.organisation_id, found)
        return Answer(RawJSON(text), "Token retrieved")
