"""`/v1/api/tokens` and `/v1/api/token`: the catalogue.

Both lists are ordinary filter sets. A parsed query string does not depend on the caller, so it is
cached, and `selectors.catalogue` runs it for the caller's organisation.
"""

from dataclasses import dataclass
from typing import ClassVar

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.operations import CURSOR_PARAMETERS, RecordPage, operation
from exchange.api.pagination import Page, PageRequest, read_page_request, uses_cursor
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.lru import LruCache
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.filters import ActiveTokenFilters, TokenSearchFilters
from exchange.tokens.models import Token
from exchange.tokens.payloads import TOKEN
from exchange.tokens.selectors.catalogue import CatalogueQuery, catalogue_page, to_catalogue_query
from exchange.tokens.selectors.tokens import token_document, visible_to


@dataclass(frozen=True, slots=True)
class _ParsedQuery:
    """A parsed query string: the catalogue query and the page."""

    query: CatalogueQuery
    window: PageRequest


# Longer query strings are not cached.
_MAX_CACHED_LENGTH = 300
_parsed_queries: LruCache[tuple[str, str], _ParsedQuery] = LruCache(2_000)
_PAGE = RecordPage(TOKEN, "tokens")


class TokenViewSet(ApiViewSet):
    """Tokens, as the caller's organisation sees them."""

    tag = "Tokens"
    lookup_url_kwarg = "token_id"
    filterset_class = ActiveTokenFilters
    sort_fields: ClassVar = {"createdAt": "created_at", "updatedAt": "updated_at", "name": "name"}
    changing_sorts = frozenset({"updatedAt", "name"})
    default_sort = "-createdAt"
    queryset: QuerySet[Token] = Token.objects.all()

    @operation("Tokens retrieved", scope="tokens:read", response=_PAGE)
    def list(self, _request: Request) -> Response:
        """Fetch all active tokens. Closed and exited tokens are left out unless requested, and
        cancelled tokens always. A token with private deal access is visible to its issuer and to
        organisations granted access.
        """
        return self._page(Token.objects.filter(cancelled=False))

    @operation("Tokens retrieved", scope="tokens:read", response=_PAGE)
    @action(detail=False, filterset_class=TokenSearchFilters)
    def search(self, _request: Request) -> Response:
        """Search tokens. By name, symbol and kind, in any state, including closed, exited and
        cancelled. A token with private deal access is visible to its issuer and to organisations
        granted access.
        """
        return self._page(Token.objects.all())

    @operation(
        "Token retrieved",
        scope="tokens:read",
        response=TOKEN,
        failures={"404": {"token_not_found": "Token not found"}},
    )
    def retrieve(self, _request: Request, token_id: str) -> SuccessResponse:
        """Fetch a token. In any state."""
        record_id = parse_path_id(token_id, TokenNotFound)
        return self.respond(RawJSON(token_document(self.caller.organisation_id, record_id)))

    def check_query(self) -> None:
        """Check the query string; for lists `_parse_query` does, which caches the result."""
        if not self.operation.page:
            super().check_query()

    def _page(self, tokens: QuerySet[Token]) -> Response:
        """Respond with the requested page of the `tokens` that the caller sees."""
        query = self.request.query_params
        if CURSOR_PARAMETERS.intersection(query):
            super().check_query()
            if uses_cursor(query):
                found = self.filter_queryset(tokens)
                return self.paginated_response(visible_to(found, self.caller.organisation_id))
        parsed = self._parse_query(tokens)
        window = parsed.window
        result = catalogue_page(
            parsed.query,
            self.caller.organisation_id,
            offset=window.offset,
            limit=window.limit,
        )
        page = Page(window, result.total)
        return self.respond(page.data("tokens", result.count, RawJSON(f"[{result.text}]")))

    def _parse_query(self, tokens: QuerySet[Token]) -> _ParsedQuery:
        """Return the parsed query string for `tokens`. Raises `InvalidRequest`."""
        text = self.request.META.get("QUERY_STRING", "")
        key = (str(self.action), text)
        parsed = _parsed_queries.get(key)
        if parsed is None:
            super().check_query()
            parsed = _ParsedQuery(
                to_catalogue_query(self.filter_queryset(tokens)), read_page_request(self.request)
            )
            if len(text) <= _MAX_CACHED_LENGTH:
                _parsed_queries.put(key, parsed)
        return parsed
