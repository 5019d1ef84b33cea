"""Columns of lists, and fields of pages, that follow from the record alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin


def column(
    heading: str, value: Callable[[Any], object], *, ordering: str | None = None
) -> Callable[[Any, Any], Any]:
    """Return an attribute of an admin that shows `value` of each record under `heading`.

    `ordering` is the column of the table that sorts it; without one it cannot be sorted.
    """

    @admin.display(description=heading, ordering=ordering)
    def shown(_admin: object, record: Any) -> object:
        return value(record)

    return shown
