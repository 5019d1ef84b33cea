"""List columns and page fields computed from the record alone."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin


def column(
    heading: str, value: Callable[[Any], object], *, ordering: str | None = None
) -> Callable[[Any, Any], Any]:
    """Return an admin column that displays `value` of each record under `heading`.

    `ordering` is the database column that sorts it; without one it is not sortable.
    """

    @admin.display(description=heading, ordering=ordering)
    def display(_admin: object, record: Any) -> object:
        return value(record)

    return display
