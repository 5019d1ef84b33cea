"""Query parameters: an address takes those it knows, each once and with a value.

A misspelt or empty filter must never return everything. `ApiViewSet` checks every GET by what the
action declares, so that a new list is covered by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from django.http import QueryDict

from exchange.api.operations import Operation
from exchange.core.errors import InvalidRequest

_DIGITS = 100
# Of names and of complaints in one message.
_LONGEST_NAME = 100
_MOST = 10


@cache
def known_parameters(view: type[Any], action: str) -> tuple[str, ...]:
    """Return the query parameters of an action: filters, those of a page, and what it declares."""
    method = getattr(view, action)
    operation: Operation = method.operation
    # DRF's `@action` may name another filter set than the viewset's.
    filters = getattr(method, "kwargs", {}).get("filterset_class", view.filterset_class)
    names = [*getattr(filters, "base_filters", ())] if operation.filtered else []
    if operation.page:
        names += ["page", "limit"]
        names += ["sort"] if view.sort_fields else []
    return (*names, *(parameter.name for parameter in operation.query))


def check_parameters(query: QueryDict, known: Sequence[str]) -> None:
    """Raises `InvalidRequest` for parameters that are not `known`, empty, or given twice."""
    wrong = list(_problems(query, known))
    if wrong:
        raise InvalidRequest("; ".join(wrong[:_MOST]))


def _problems(query: QueryDict, known: Sequence[str]) -> Iterator[str]:
    for name, values in query.lists():
        if name not in known:
            yield f"Unknown parameter: {name[:_LONGEST_NAME]} ({_suggestion(name, known)})"
        elif len(values) > 1:
            yield f"{name} must be given once"
        elif not values[0].strip():
            yield f"{name} must not be empty"


def _suggestion(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name[:_LONGEST_NAME].lower(), known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known are {', '.join(known)}" if known else "this address takes none"


def read_positive_integer(query: QueryDict, name: str, default: int) -> int:
    """A query parameter that is a whole number from 1, however large."""
    text = query.get(name)
    if text is None:
        return default
    digits = text.lstrip("0")
    if not (text.isascii() and text.isdigit() and digits):
        raise InvalidRequest(f"{name} must be a whole number from 1")
    # More digits than Python reads are past any end all the same.
    return int(digits[:_DIGITS])
