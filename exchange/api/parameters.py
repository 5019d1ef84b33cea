"""Query parameters: an address takes those it knows, each once and with a value.

A misspelt or empty filter must never return everything. `ApiView` checks every GET by what the view
declares, so that a new list is covered by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from django.http import QueryDict

from exchange.errors import InvalidRequest

_DIGITS = 100
# Of names and of complaints in one message.
_LONGEST_NAME = 100
_MOST = 10


@cache
def known_parameters(view: type[Any]) -> tuple[str, ...]:
    """The query parameters of a view: its filters, those of its pages, and `query_parameters`."""
    filters = getattr(getattr(view, "filterset_class", None), "base_filters", ())
    pages = ("page", "limit") if hasattr(view, "plural") else ()
    sort = ("sort",) if hasattr(view, "sort_fields") else ()
    return (*filters, *pages, *sort, *view.query_parameters)


def check_parameters(query: QueryDict, known: Sequence[str]) -> None:
    """Raises `InvalidRequest` for parameters that are not `known`, empty, or given twice."""
    wrong = list(_complaints(query, known))
    if wrong:
        raise InvalidRequest("; ".join(wrong[:_MOST]))


def _complaints(query: QueryDict, known: Sequence[str]) -> Iterator[str]:
    for name, values in query.lists():
        if name not in known:
            yield f"Unknown parameter: {name[:_LONGEST_NAME]} ({_advice(name, known)})"
        elif len(values) > 1:
            yield f"{name} must be given once"
        elif not values[0].strip():
            yield f"{name} must not be empty"


def _advice(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name[:_LONGEST_NAME].lower(), known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known are {', '.join(known)}" if known else "this address takes none"


def read_count(query: QueryDict, name: str, default: int) -> int:
    """A query parameter that is a whole number from 1, however large."""
    text = query.get(name)
    if text is None:
        return default
    digits = text.lstrip("0")
    if not (text.isascii() and text.isdigit() and digits):
        raise InvalidRequest(f"{name} must be a whole number from 1")
    # More digits than Python reads are past any end all the same.
    return int(digits[:_DIGITS])
