"""Query parameters: only declared ones are accepted, each once and with a value.

A misspelt or empty filter must never return everything. `ApiViewSet` checks every GET against the
action's declaration, so new lists are covered.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from rest_framework import exceptions

from exchange.api.operations import Operation
from exchange.core.errors import InvalidRequest

_DIGITS = 100
# Limits of a message: length of a name, number of problems.
_MAX_NAME_LENGTH = 100
_MAX_PROBLEMS = 10


@cache
def known_parameters(view: type[Any], action: str) -> tuple[str, ...]:
    """Return the query parameters of an action: filters, page parameters, and declared ones."""
    method = getattr(view, action)
    operation: Operation = method.operation
    # DRF's `@action` may override the viewset's filter set.
    filters = getattr(method, "kwargs", {}).get("filterset_class", view.filterset_class)
    names = [*getattr(filters, "base_filters", ())] if operation.filtered else []
    if operation.page:
        names += ["page", "limit"]
        names += ["sort"] if view.sort_fields else []
        names += ["use_cursor", "cursor"] if view.takes_cursors() else []
    return (*names, *(parameter.name for parameter in operation.query))


def check_parameters(query: QueryDict, known: Sequence[str]) -> None:
    """Raise `InvalidRequest` for parameters that are unknown, empty or repeated."""
    problems = list(_problems(query, known))
    if problems:
        raise InvalidRequest("; ".join(problems[:_MAX_PROBLEMS]))


def _problems(query: QueryDict, known: Sequence[str]) -> Iterator[str]:
    for name, values in query.lists():
        if name not in known:
            yield f"Unknown parameter: {name[:_MAX_NAME_LENGTH]} ({_suggestion(name, known)})"
        elif len(values) > 1:
            yield f"{name} must be given once"
        elif not values[0].strip():
            yield f"{name} must not be empty"


def _suggestion(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name[:_MAX_NAME_LENGTH].lower(), known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known are {', '.join(known)}" if known else "this address takes none"


def parse_parameters(query: QueryDict, fields: Mapping[str, forms.Field]) -> dict[str, Any]:
    """Return the values of query parameters; raise a 400 that names every bad one."""
    values: dict[str, Any] = {}
    problems: dict[str, list[exceptions.ErrorDetail]] = {}
    for name, field in fields.items():
        try:
            values[name] = field.clean(query.get(name))
        except ValidationError as error:
            problems[name] = [
                exceptions.ErrorDetail(str(message), code=each.code or "invalid")
                for each in error.error_list
                for message in each.messages
            ]
    if problems:
        raise exceptions.ValidationError(problems)
    return values


def read_positive_integer(query: QueryDict, name: str, default: int) -> int:
    """Return a query parameter that is a whole number from 1, of any size."""
    text = query.get(name)
    if text is None:
        return default
    digits = text.lstrip("0")
    if not (text.isascii() and text.isdigit() and digits):
        raise InvalidRequest(f"{name} must be a whole number from 1")
    # Python limits the digits it parses; so large a page is empty anyway.
    return int(digits[:_DIGITS])
