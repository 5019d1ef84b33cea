"""Errors of the parsers of bodies and query strings, without HTTP.

The error becomes a response as in the API: by its exception handler.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from rest_framework.serializers import BaseSerializer
from rest_framework.test import APIRequestFactory

from exchange.api.exceptions import handle_exception
from exchange.api.pagination import read_page_request
from exchange.api.parameters import check_parameters, known_parameters
from exchange.api.parsers import read_json
from exchange.api.viewsets import ApiViewSet
from exchange.tokens.models import Token

# Status, code and message of an error; None for valid input.
Rejection = tuple[int, str, str] | None
_requests = APIRequestFactory()


def body_error(kind: type[BaseSerializer[Any]], body: str | bytes) -> Rejection:
    """Return the error for a body of the serializer `kind`."""
    raw = body if isinstance(body, bytes) else body.encode()

    def parse() -> None:
        values = read_json(raw, depth_limit=settings.API_BODY_DEPTH_LIMIT)
        kind(data=values).is_valid(raise_exception=True)

    return _error(parse)


def query_error(view: type[ApiViewSet], query: str, action: str = "list") -> Rejection:
    """Return the error for a query string of a list of `view`."""

    def parse() -> None:
        method = getattr(view, action)
        made: Any = view(**getattr(method, "kwargs", {}))
        made.action_map = {"get": action}
        made.request = made.initialize_request(_requests.get(f"/?{query}"))
        check_parameters(made.request.query_params, known_parameters(view, action))
        # Values are checked whatever the rows are.
        made.filter_queryset(Token.objects.none())
        read_page_request(made.request)

    return _error(parse)


def assert_rejected(
    parse: Callable[[str], Rejection],
    cases: Iterable[tuple[str, str]],
    code: str = "invalid_request",
) -> None:
    """Assert that every text of `cases` is rejected with its message, and list those that are not.

    A table is one test, since most cases take less time than starting a test.
    """
    found = [(text[:200], message, parse(text)) for text, message in cases]
    assert found
    assert [each for each in found if each[2] != (400, code, each[1])] == []


def _error(parse: Callable[[], None]) -> Rejection:
    try:
        parse()
    except Exception as error:  # noqa: BLE001 - the handler takes every error
        response = handle_exception(error, {})
        return response.status_code, str(response["X-Error-Code"]), str(response.data["message"])
    return None
